// ROCr's API table header, included one way everywhere.
#pragma once

#ifndef AMD_INTERNAL_BUILD
#define AMD_INTERNAL_BUILD
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ven_amd_loader.h>
#pragma GCC diagnostic pop
