/* The shims are static inline; this file only makes CLinux a target that can be compiled. */
#include "CLinux.h"
