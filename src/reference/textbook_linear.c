#include <stdbool.h>
#include <string.h>

#include "reference/textbook.h"

__extension__ typedef __int128 wide;

static bool fits(wide value) {
    return value >= INT64_MIN && value <= INT64_MAX;
}

/* What is left of a number modulo m, 0 .. m-1. */
static wide reduce(wide value, int64_t modulus) {
    wide rest = value % modulus;
    return rest < 0 ? rest + modulus : rest;
}

/* ---- S-DP ------------------------------------------------------------------------------------ */

/* a*b by the policy for overflow. A product that does not fit stays just beyond int64, until a factor 0. */
static wide multiply(const pdp_sdp *sdp, wide a, int64_t b) {
    const wide beyond = (wide)INT64_MAX + 2; /* its negative does not fit either */
    const wide product = a * b;
    switch (sdp->overflow) {
    case PDP_OVERFLOW_MOD: return reduce(product, sdp->modulus);
    case PDP_OVERFLOW_WRAP: return (int64_t)(uint64_t)product;
    default: return product > beyond ? beyond : product < -beyond ? -beyond : product;
    }
}

static wide find_gcd(wide a, wide b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* a (x) b for every operator but add. */
static wide combine(const pdp_sdp *sdp, wide a, wide b) {
    switch (sdp->op) {
    case PDP_MIN: return a < b ? a : b;
    case PDP_MAX: return a > b ? a : b;
    case PDP_MUL: return multiply(sdp, a, (int64_t)b);
    case PDP_AND: return a & b;
    case PDP_OR: return a | b;
    case PDP_XOR: return a ^ b;
    default: return find_gcd(a, b);
    }
}

/* x[i] (x) (w_1 + ST[i-a_1]) (x) ... (x) (w_k + ST[i-a_k]), from left to right. */
static wide fold(const pdp_sdp *sdp, const int64_t *weights, const int64_t *x, const int64_t *table, size_t i) {
    wide value = x ? x[i] : 0;
    for (size_t j = 0; j < sdp->offset_count; j++) {
        wide operand = table[i - (size_t)sdp->offsets[j]];
        operand += weights ? weights[j] : 0;
        value = j == 0 && !x ? operand : combine(sdp, value, operand);
    }
    return value;
}

/* x[i] + w_1*ST[i-a_1] + ... + w_k*ST[i-a_k]. A product takes 127 bits, so the sum of their upper and that
 * of their lower halves are kept apart. */
static wide add_up(const pdp_sdp *sdp, const int64_t *weights, const int64_t *x, const int64_t *table, size_t i) {
    wide upper = 0;
    wide lower = x ? x[i] : 0;
    for (size_t j = 0; j < sdp->offset_count; j++) {
        wide product = (wide)(weights ? weights[j] : 1) * table[i - (size_t)sdp->offsets[j]];
        product = sdp->overflow == PDP_OVERFLOW_MOD ? reduce(product, sdp->modulus) : product;
        upper += product >> 64;
        lower += (uint64_t)product;
    }
    if (sdp->overflow == PDP_OVERFLOW_WRAP) {
        return (int64_t)(uint64_t)lower;
    }
    const wide top = (wide)1 << 62; /* times 2^64 it is beyond int64, whatever the lower half */
    upper += lower >> 64;
    upper = upper > top ? top : upper < -top ? -top : upper;
    return upper * ((wide)1 << 64) + (uint64_t)lower;
}

/* ST[i] = x[i] (x) (w_1 o ST[i-a_1]) (x) ... (x) (w_k o ST[i-a_k]), and ST[i] = preset[i] for i < a_1. */
size_t pdp_textbook_solve_sdp(const pdp_sdp *sdp, const int64_t *weights, const int64_t *x, int64_t *table) {
    const bool reduces = sdp->overflow == PDP_OVERFLOW_MOD;
    for (size_t i = 0; i < sdp->n; i++) {
        wide value;
        if (i < (size_t)sdp->offsets[0]) {
            value = sdp->presets[i];
        } else if (sdp->op == PDP_ADD) {
            value = add_up(sdp, weights, x, table, i);
        } else {
            value = fold(sdp, weights, x, table, i);
        }
        value = reduces ? reduce(value, sdp->modulus) : value;
        if (!fits(value)) {
            return i;
        }
        table[i] = (int64_t)value;
    }
    return PDP_TEXTBOOK_FITS;
}

/* ---- Coins and the like: the last part of a sum of i is one of those that are not larger than i ---- */

/* c[i] = 1 + min over coins v <= i of c[i-v], and c[0] = 0. */
void pdp_textbook_solve_coins(const int64_t *coins, size_t coin_count, size_t amount, int64_t *table) {
    table[0] = 0;
    for (size_t i = 1; i <= amount; i++) {
        table[i] = INT64_MAX;
        for (size_t j = 0; j < coin_count; j++) {
            int64_t rest = (uint64_t)coins[j] <= i ? table[i - (size_t)coins[j]] : INT64_MAX;
            if (rest != INT64_MAX && rest + 1 < table[i]) {
                table[i] = rest + 1;
            }
        }
    }
}

/* best[c] = max(0, max over items of size s <= c and value v of v + best[c-s]). */
size_t pdp_textbook_solve_knapsack(const int64_t *sizes, const int64_t *values, size_t item_count, size_t capacity,
                                   int64_t *table) {
    for (size_t c = 0; c <= capacity; c++) {
        wide best = 0;
        for (size_t j = 0; j < item_count; j++) {
            if ((uint64_t)sizes[j] <= c) {
                wide value = (wide)values[j] + table[c - (size_t)sizes[j]];
                best = value > best ? value : best;
            }
        }
        if (!fits(best)) {
            return c;
        }
        table[c] = (int64_t)best;
    }
    return PDP_TEXTBOOK_FITS;
}

/* r[i] = max over 1<=t<=i of p[t] + r[i-t], and r[0] = 0. */
size_t pdp_textbook_solve_rod(const int64_t *prices, size_t price_count, size_t length, int64_t *table) {
    table[0] = 0;
    for (size_t i = 1; i <= length; i++) {
        wide best = (wide)prices[0] + table[i - 1];
        for (size_t t = 2; t <= i && t <= price_count; t++) {
            wide revenue = (wide)prices[t - 1] + table[i - t];
            best = revenue > best ? revenue : best;
        }
        if (!fits(best)) {
            return i;
        }
        table[i] = (int64_t)best;
    }
    return PDP_TEXTBOOK_FITS;
}

/* c[i] = sum over parts a <= i of c[i-a], and c[0] = 1. */
size_t pdp_textbook_solve_compositions(const int64_t *parts, size_t part_count, size_t total, int64_t modulus,
                                       int64_t *table) {
    for (size_t i = 0; i <= total; i++) {
        wide count = i == 0 ? 1 : 0;
        for (size_t j = 0; j < part_count; j++) {
            count += (uint64_t)parts[j] <= i ? table[i - (size_t)parts[j]] : 0;
        }
        count = modulus > 0 ? count % modulus : count;
        if (!fits(count)) {
            return i;
        }
        table[i] = (int64_t)count;
    }
    return PDP_TEXTBOOK_FITS;
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* y[i] = x[i] + w_1*y[i-a_1] + ... + w_k*y[i-a_k], and y[i] = 0 for i < 0. */
void pdp_textbook_solve_filter(const double *x, size_t n, const int64_t *offsets, const double *weights, size_t count,
                               double *table) {
    for (size_t i = 0; i < n; i++) {
        table[i] = x[i];
        for (size_t j = 0; j < count; j++) {
            table[i] += (uint64_t)offsets[j] <= i ? weights[j] * table[i - (size_t)offsets[j]] : 0;
        }
    }
}

/* s[i] = s[i-a_1] ^ ... ^ s[i-a_k]. */
void pdp_textbook_solve_lfsr(const int64_t *taps, size_t tap_count, const uint64_t *presets, size_t preset_count,
                             size_t n, uint64_t *table) {
    for (size_t i = 0; i < n; i++) {
        table[i] = i < preset_count ? presets[i] : 0;
        for (size_t j = 0; i >= preset_count && j < tap_count; j++) {
            table[i] ^= table[i - (size_t)taps[j]];
        }
    }
}

/* u[i] = sum over 1<=t<=i of f[t]*u[i-t], and u[0] = 1. */
void pdp_textbook_solve_renewal(const double *intervals, size_t interval_count, size_t n, double *table) {
    for (size_t i = 0; i < n; i++) {
        table[i] = i == 0 ? 1 : 0;
        for (size_t t = 1; t <= i && t <= interval_count; t++) {
            table[i] += intervals[t - 1] * table[i - t];
        }
    }
}
