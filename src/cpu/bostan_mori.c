#include "cpu/bostan_mori.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { LOG_LEAST = PDP_NTT_LOG_LEAST + 1 }; /* half of a transform is one too */

/* Polynomials as coefficients, and on their way as residues. */
typedef struct generator {
    const pdp_bostan_mori_job *job;
    pdp_ring ring;
    int64_t *upper; /* U */
    int64_t *lower; /* V, which begins with 1 */
    size_t upper_count;
    size_t lower_count;
    uint32_t *transforms[2];             /* of the two, modulo one prime */
    uint32_t *results[PDP_RING_MOST][2]; /* modulo each */
} generator;

/* ---- Sizes ---- */

/* One more where a source is left that does not end: U/V over (1 - x). */
static size_t count_lower(const pdp_bostan_mori_job *job) {
    return job->longest + 1 + (job->is_steady && job->source_count > 0 ? 1 : 0);
}

static size_t count_upper(const pdp_bostan_mori_job *job) {
    const size_t own = job->preset_count + (job->is_steady && job->source_count > 0 ? 1 : 0);
    const size_t all = job->preset_count + job->source_count;
    return own > all ? own : all > 0 ? all : 1;
}

static unsigned log_size_of(size_t upper, size_t lower) {
    const size_t wanted = (upper > lower ? upper : lower) + lower - 1;
    unsigned log_size = LOG_LEAST;
    while ((size_t)1 << log_size < wanted) {
        log_size++;
    }
    return log_size;
}

static unsigned log_size_of_job(const pdp_bostan_mori_job *job) {
    return log_size_of(count_upper(job), count_lower(job));
}

static unsigned bits_of_job(const pdp_bostan_mori_job *job) {
    const pdp_uwide most = job->kind == PDP_RING_MOD ? (pdp_uwide)job->modulus : (pdp_uwide)1 << 63;
    return pdp_ring_bits(most, most) + log_size_of_job(job);
}

static unsigned count_primes(const pdp_bostan_mori_job *job) {
    return pdp_ring_count(job->kind, job->modulus, bits_of_job(job), log_size_of_job(job));
}

const char *pdp_bostan_mori_refuse(const pdp_bostan_mori_job *job) {
    return count_primes(job) == 0
               ? "its offsets are too long for the transforms that it has, or its source changes with i for too long"
               : NULL;
}

uint64_t pdp_bostan_mori_bytes(const pdp_bostan_mori_job *job) {
    const unsigned count = count_primes(job), log_size = log_size_of_job(job);
    const uint64_t words = (2 + count) * ((uint64_t)1 << log_size);
    return pdp_ring_bytes(count, log_size) + words * sizeof(uint32_t) + ((uint64_t)2 << log_size) * sizeof(int64_t);
}

double pdp_bostan_mori_operations(const pdp_bostan_mori_job *job) {
    const unsigned log_size = log_size_of_job(job);
    double steps = 1;
    for (uint64_t cell = job->cell; cell > 0; cell >>= 1) {
        steps++;
    }
    return steps * count_primes(job) * 2 * log_size * (double)((uint64_t)1 << log_size);
}

static pdp_status create(generator *g, const pdp_bostan_mori_job *job, pdp_error *error) {
    *g = (generator){.job = job, .upper_count = count_upper(job), .lower_count = count_lower(job)};
    const unsigned log_size = log_size_of_job(job);
    const size_t size = (size_t)1 << log_size;
    if (pdp_ring_create(&g->ring, job->kind, job->modulus, bits_of_job(job), log_size, job->level, error) != PDP_OK) {
        return error->status;
    }
    g->upper = pdp_array_allocate(2 * size, sizeof *g->upper, error);
    g->transforms[0] = pdp_pages_allocate((2 + g->ring.count) * size * sizeof(uint32_t), error);
    if (!g->upper || !g->transforms[0]) {
        return error->status;
    }
    g->lower = g->upper + size;
    g->transforms[1] = g->transforms[0] + size;
    for (unsigned x = 0; x < g->ring.count; x++) {
        g->results[x][0] = g->transforms[1] + (1 + x) * size;
        g->results[x][1] = g->results[x][0] + size / 2;
    }
    return PDP_OK;
}

static void destroy(generator *g) {
    pdp_ring_free(&g->ring);
    free(g->upper);
    free(g->transforms[0]);
}

/* ---- The generating function ---- */

/* a - b of the ring. */
static int64_t subtract(const generator *g, int64_t a, int64_t b) {
    if (g->ring.kind == PDP_RING_WRAP) {
        return (int64_t)((uint64_t)a - (uint64_t)b);
    }
    return a < b ? a - b + g->ring.modulus : a - b;
}

/* The values of a polynomial, modulo prime x. */
static void transform(const generator *g, unsigned x, const int64_t *coefficients, size_t count, unsigned log_size,
                      uint32_t *out) {
    for (size_t c = 0; c < count; c++) {
        out[c] = pdp_ring_residue(&g->ring, x, coefficients[c]);
    }
    memset(out + count, 0, (((size_t)1 << log_size) - count) * sizeof *out);
    g->ring.kernel->forward(&g->ring.moduli[x], out, log_size, 0);
}

/* The coefficients of what is left in a result, each of its values times 2^32 over a power of 2, and back. */
static void transform_back(const generator *g, unsigned x, int which, unsigned log_size, unsigned log_factor) {
    const pdp_ntt_modulus *m = &g->ring.moduli[x];
    uint32_t *values = g->results[x][which];
    const uint32_t over = pdp_ntt_invert((uint32_t)(((uint64_t)1 << log_factor) % m->modulus), m->modulus);
    const uint32_t scale = (uint32_t)((uint64_t)m->square * over % m->modulus);
    g->ring.kernel->inverse(m, values, log_size, 0);
    for (size_t c = 0; c < (size_t)1 << log_size; c++) {
        values[c] = pdp_ntt_multiply(m, values[c], scale);
    }
}

static void join(const generator *g, int which, int64_t *out, size_t count) {
    for (size_t c = 0; c < count; c++) {
        uint32_t residues[PDP_RING_MOST];
        for (unsigned x = 0; x < g->ring.count; x++) {
            residues[x] = g->results[x][which][c];
        }
        out[c] = (int64_t)pdp_ring_join(&g->ring, residues);
    }
}

/* (1 - x) times the polynomial, of which one more coefficient is there. */
static void multiply_by_difference(const generator *g, int64_t *polynomial, size_t count) {
    for (size_t c = count; c-- > 0;) {
        polynomial[c + 1] = subtract(g, polynomial[c + 1], polynomial[c]);
    }
}

/* V = 1 - the weights. U = the presets times V, as far as they go, and then the source. */
static void make_fraction(generator *g) {
    const pdp_bostan_mori_job *job = g->job;
    const size_t count = job->preset_count;
    const unsigned log_size = log_size_of_job(job);
    const size_t size = (size_t)1 << log_size;
    g->lower[0] = job->kind == PDP_RING_MOD ? 1 % job->modulus : 1;
    for (size_t d = 1; d <= job->longest; d++) {
        g->lower[d] = subtract(g, 0, job->weights[d]);
    }
    for (unsigned x = 0; x < g->ring.count && count > 0; x++) {
        const uint32_t *a[] = {g->transforms[0]}, *b[] = {g->transforms[1]};
        transform(g, x, job->presets, count, log_size, g->transforms[0]);
        transform(g, x, g->lower, count, log_size, g->transforms[1]);
        g->ring.kernel->multiply(&g->ring.moduli[x], g->results[x][0], a, b, 1, size, 0);
        transform_back(g, x, 0, log_size, log_size);
    }
    join(g, 0, g->upper, count);
    if (job->is_steady && job->source_count > 0) {
        multiply_by_difference(g, g->upper, count);
        multiply_by_difference(g, g->lower, job->longest + 1);
    }
    for (size_t c = 0; c < job->source_count; c++) {
        g->upper[count + c] = subtract(g, g->upper[count + c], subtract(g, 0, job->sources[c]));
    }
}

/* The values of V(x)V(-x), and of the part of U(x)V(-x) with powers of this parity, at the squares of the roots: those
 * of roots[s] and -roots[s] are neighbours, and so are what becomes of roots[s] squared and of its negative. */
static void halve(const generator *g, unsigned x, unsigned log_size, bool is_odd) {
    const pdp_ntt_modulus *m = &g->ring.moduli[x];
    const uint32_t *u = g->transforms[0], *v = g->transforms[1];
    for (size_t s = 0; s < (size_t)1 << (log_size - 1); s++) {
        const uint32_t one = pdp_ntt_multiply(m, u[2 * s], v[2 * s + 1]);
        const uint32_t other = pdp_ntt_multiply(m, u[2 * s + 1], v[2 * s]);
        const uint32_t sum = one < m->modulus - other ? one + other : one - (m->modulus - other);
        const uint32_t rest = one < other ? one + (m->modulus - other) : one - other;
        g->results[x][0][s] = is_odd ? pdp_ntt_multiply(m, rest, m->inverse_roots[s]) : sum;
        g->results[x][1][s] = pdp_ntt_multiply(m, v[2 * s], v[2 * s + 1]);
    }
    transform_back(g, x, 0, log_size - 1, log_size); /* half of the sum, or of the difference */
    transform_back(g, x, 1, log_size - 1, log_size - 1);
}

static void show(const generator *g) {
    if (g->job->watch) {
        g->job->watch(g->job->context, g->upper, g->upper_count, g->lower, g->lower_count);
    }
}

pdp_status pdp_bostan_mori_solve(const pdp_bostan_mori_job *job, int64_t *value, pdp_progress progress,
                                 pdp_error *error) {
    generator g;
    if (create(&g, job, error) == PDP_OK) {
        make_fraction(&g);
        show(&g);
        unsigned steps = 0, all = 1;
        for (uint64_t cell = job->cell; cell > 0; cell >>= 1) {
            all++;
        }
        for (uint64_t cell = job->cell; cell > 0 && error->status == PDP_OK; cell >>= 1) {
            const bool is_odd = (cell & 1) != 0;
            const unsigned log_size = log_size_of(g.upper_count, g.lower_count);
            for (unsigned x = 0; x < g.ring.count; x++) {
                transform(&g, x, g.upper, g.upper_count, log_size, g.transforms[0]);
                transform(&g, x, g.lower, g.lower_count, log_size, g.transforms[1]);
                halve(&g, x, log_size, is_odd);
            }
            const size_t highest = g.upper_count + g.lower_count - 2; /* power */
            g.upper_count = is_odd && highest == 0 ? 1 : (highest - is_odd) / 2 + 1;
            join(&g, 0, g.upper, g.upper_count);
            join(&g, 1, g.lower, g.lower_count);
            show(&g);
            pdp_progress_tell(progress, (double)++steps / all, error);
        }
        *value = g.upper[0]; /* over V's, which is 1 */
    }
    destroy(&g);
    return error->status;
}
