/* A library that does what theta[0] asks for: 1 NaN, 2 infinity, 3 minus infinity, 4 fails with a message,
   5 fails with a message that does not end, 6 writes nothing, 7 a gradient that is not finite, 8 fails silently,
   9 is slow and says how many calls were inside at once. */
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hunch/model/hunch_model.h"

static atomic_int inside;

int hunch_model_abi(void) { return HUNCH_MODEL_ABI; }
int hunch_model_dimension(void) { return 0; }
int hunch_model_has_gradient(void) { return 1; }

static double calls_inside_at_once(void) {
  const struct timespec pause = {0, 20000000};
  const int found = ++inside;
  nanosleep(&pause, NULL);
  --inside;
  return found;
}

int hunch_model_log_likelihood(const double* theta, int n, double* log_likelihood, double* gradient,
                               char* message, int message_size) {
  const int wish = (int)theta[0];
  if (wish == 6) return 0;
  *log_likelihood = wish == 1 ? NAN : wish == 2 ? INFINITY : wish == 3 ? -INFINITY : -1.5;
  if (wish == 9) *log_likelihood = calls_inside_at_once();
  if (wish == 4) return snprintf(message, (size_t)message_size, "no solution\nbelow %g", theta[0]) > 0 ? 7 : 0;
  if (wish == 5) return memset(message, 'x', (size_t)message_size) != NULL ? -1 : 0;
  if (wish == 8) return 1;
  for (int i = 0; gradient != NULL && i < n; ++i) gradient[i] = wish == 7 && i == n - 1 ? INFINITY : i;
  return 0;
}
