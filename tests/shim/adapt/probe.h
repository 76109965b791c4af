// What the tool that plants variants (probe_tool.cpp) tells the program that it is loaded into.
#pragma once

struct AdaptProbeTrial {
  unsigned incumbent; ///< 0: the original; 1, 2...: its variants in the order of their names
  unsigned decisions, changes; ///< as of meld::adapt::Trial
};

/// The trial of a kernel by that name, of the executable that was loaded last; false: none, or more
/// than one launch class. A launch's time counts once the next launch has been enqueued. From any
/// thread. Name and type of the symbol "adaptProbeLook".
using AdaptProbeLook = bool (*)(const char *kernel, AdaptProbeTrial *trial);
