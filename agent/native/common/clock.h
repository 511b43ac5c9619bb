#ifndef SANDBOX_CLOCK_H
#define SANDBOX_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t clock_ms(clockid_t clock);

#endif
