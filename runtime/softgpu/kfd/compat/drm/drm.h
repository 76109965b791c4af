/* linux/kfd_ioctl.h includes this header for the integer types only; some systems ship it under libdrm/ instead. */
#pragma once
#include <linux/types.h>
