// glibc from 2.40 on believes any clang to have a 128-bit floating-point type, also one that
// compiles for a GPU; its typedef of the complex one then ends the compilation. Here glibc's own
// header looks again, at a clang that claims less.
#include <features.h>
#ifdef __glibc_clang_prereq
#pragma push_macro("__glibc_clang_prereq")
#undef __glibc_clang_prereq
#define __glibc_clang_prereq(major, minor) 0
#include_next <bits/floatn.h>
#pragma pop_macro("__glibc_clang_prereq")
#else
#include_next <bits/floatn.h>
#endif
