#include "tests/runtime/softgpu/valu/harness.h"
