// The parts of the arrivals program that live in other files.
#pragma once

#include <hip/hip_runtime.h>

bool secondUnit();
