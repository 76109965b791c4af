// libstdc++ from 14 on describes __float128 wherever the host has it; NVPTX has not.
#include_next <bits/c++config.h>
#undef _GLIBCXX_USE_FLOAT128
