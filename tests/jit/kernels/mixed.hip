// Several kernels in one module: those worth melding and those that are not.
#include "bitonic.hip"
#include "diamond.hip"
#include "reduce.hip"
