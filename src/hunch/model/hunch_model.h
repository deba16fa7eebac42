/* The C interface between Hunch and a likelihood in a shared library.

   Define these functions, build a shared library (cc -O2 -shared -fPIC -o model.so model.c), and name its file
   as the model. The library runs inside the program that samples: a crash there ends that program too (nothing
   that was paid for is lost). A likelihood that may crash is better served as a program of its own. */
#ifndef HUNCH_MODEL_H
#define HUNCH_MODEL_H

#ifdef __cplusplus
extern "C" {
#endif

#define HUNCH_MODEL_ABI 1

/* Return HUNCH_MODEL_ABI. */
int hunch_model_abi(void);

/* How many parameters the likelihood takes; 0 when it takes any number. */
int hunch_model_dimension(void);

/* The log-likelihood of theta[0..n-1], written to *log_likelihood; minus infinity says that theta is outside the
   model's support. When gradient is not NULL, its n derivatives with respect to theta are written there.
   Return 0. When there is no answer, return anything else and explain it, if you like, in message: at most
   message_size characters, the ending zero included. The same theta must give the same answer. */
int hunch_model_log_likelihood(const double* theta, int n, double* log_likelihood, double* gradient,
                               char* message, int message_size);

/* Optional. 1 when gradients are written; without this function, none is asked for. */
int hunch_model_has_gradient(void);

/* Optional. 1 when hunch_model_log_likelihood may be called from several threads at once; without this function,
   calls come one at a time. */
int hunch_model_thread_safe(void);

#ifdef __cplusplus
}
#endif

#endif
