#include "schedule/checker.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Requests of warps are numbered; those of the current substep start at substep_start, so a stamp from
 * there on means that the substep has touched the address. */
struct pdp_checker {
    size_t addresses;
    uint32_t width;
    uint32_t latency;
    uint32_t shift;         /* log2(width), or 32 if the width is no power of two */
    uint32_t request;       /* number of the current request */
    uint32_t substep_start; /* number of the first request of the substep */
    uint32_t *stamp;        /* of an address: the last request that touched it */
    uint32_t *extra;        /* of an address: threads beyond the first in this substep */
    uint32_t *shared;       /* the addresses whose extra is not 0 */
    size_t shared_count;
    uint8_t *final;
    uint32_t *group_stamp; /* of an address group: the last request that touched it */
    uint32_t *bank;        /* distinct addresses of the current request in each bank */
    uint32_t *sorted;      /* room for the addresses of one warp */
    pdp_record found;
};

static size_t group_count(size_t addresses, uint32_t width) {
    return addresses / width + 1;
}

uint64_t pdp_checker_bytes(size_t addresses, uint32_t width) {
    uint64_t bytes = pdp_bytes_multiply(addresses, 3 * sizeof(uint32_t) + sizeof(uint8_t));
    bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(group_count(addresses, width), sizeof(uint32_t)));
    return pdp_bytes_add(bytes, sizeof(pdp_checker) + 2 * sizeof(uint32_t) * width);
}

pdp_status pdp_checker_create(pdp_checker **out, size_t addresses, size_t cells, size_t presets, uint32_t width,
                              uint32_t latency, pdp_error *error) {
    pdp_checker *checker = *out = pdp_array_allocate(1, sizeof *checker, error);
    if (!checker) {
        return error->status;
    }
    checker->addresses = addresses;
    checker->width = width;
    checker->latency = latency;
    checker->shift = (width & (width - 1)) == 0 ? (uint32_t)__builtin_ctz(width) : 32;
    checker->stamp = pdp_array_allocate(addresses, sizeof *checker->stamp, error);
    checker->extra = pdp_array_allocate(addresses, sizeof *checker->extra, error);
    checker->shared = pdp_array_allocate(addresses, sizeof *checker->shared, error);
    checker->final = pdp_array_allocate(addresses, sizeof *checker->final, error);
    checker->group_stamp = pdp_array_allocate(group_count(addresses, width), sizeof *checker->group_stamp, error);
    checker->bank = pdp_array_allocate(width, sizeof *checker->bank, error);
    checker->sorted = pdp_array_allocate(width, sizeof *checker->sorted, error);
    if (!checker->stamp || !checker->extra || !checker->shared || !checker->final || !checker->group_stamp ||
        !checker->bank || !checker->sorted) {
        return error->status;
    }
    memset(checker->final, 1, presets);
    memset(checker->final + cells, 1, addresses - cells);
    return PDP_OK;
}

void pdp_checker_free(pdp_checker *checker) {
    if (checker) {
        free(checker->stamp);
        free(checker->extra);
        free(checker->shared);
        free(checker->final);
        free(checker->group_stamp);
        free(checker->bank);
        free(checker->sorted);
        free(checker);
    }
}

static void start_substep(pdp_checker *checker, size_t count) {
    while (checker->shared_count > 0) {
        checker->extra[checker->shared[--checker->shared_count]] = 0;
    }
    /* Request numbers are 32 bits: before they run out, all stamps are forgotten. */
    if (checker->request > UINT32_MAX - count - 2) {
        memset(checker->stamp, 0, checker->addresses * sizeof *checker->stamp);
        memset(checker->group_stamp, 0, group_count(checker->addresses, checker->width) * sizeof *checker->group_stamp);
        checker->request = 0;
    }
    checker->substep_start = checker->request + 1;
}

/* Notes one more thread on an address; returns how many there are now. */
static uint32_t share(pdp_checker *checker, uint32_t address) {
    if (checker->extra[address]++ == 0) {
        checker->shared[checker->shared_count++] = address;
    }
    return checker->extra[address] + 1;
}

typedef struct slots {
    uint32_t dmm;
    uint32_t umm;
    uint32_t conflicts;
    uint32_t most; /* threads on one address, in the substep so far */
    bool repeats;  /* two threads of this warp are on one address */
} slots;

/* One warp's request. Repeated addresses are counted once: right for reads. */
__attribute__((always_inline)) static inline slots watch_warp(pdp_checker *checker, const uint32_t *address,
                                                              size_t count, bool is_power_of_two) {
    slots s = {0, 0, 0, 1, false};
    uint32_t *stamp = checker->stamp;
    uint32_t *group_stamp = checker->group_stamp;
    uint32_t *bank = checker->bank;
    const uint32_t start = checker->substep_start;
    const uint32_t request = ++checker->request;
    const uint32_t width = checker->width;
    memset(bank, 0, width * sizeof *bank);
    for (size_t t = 0; t < count; t++) {
        const uint32_t a = address[t];
        const uint32_t group = is_power_of_two ? a >> checker->shift : a / width;
        const uint32_t before = stamp[a];
        if (before >= start) {
            uint32_t threads = share(checker, a);
            s.conflicts++;
            s.most = threads > s.most ? threads : s.most;
            if (before == request) {
                s.repeats = true;
                continue;
            }
        }
        stamp[a] = request;
        const uint32_t in_bank = ++bank[a - group * width];
        s.dmm = in_bank > s.dmm ? in_bank : s.dmm;
        s.umm += group_stamp[group] != request;
        group_stamp[group] = request;
    }
    return s;
}

static int compare_addresses(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Slots of a warp that combines, some of its threads into one cell: a bank serves every thread on its
 * own (DMM), a group serves its addresses together, but as often as the busiest of them is wanted. */
static void count_combining_slots(pdp_checker *checker, const uint32_t *address, size_t count, slots *s) {
    memset(checker->bank, 0, checker->width * sizeof *checker->bank);
    memcpy(checker->sorted, address, count * sizeof *address);
    qsort(checker->sorted, count, sizeof *checker->sorted, compare_addresses);
    s->umm = 0;           /* the slots of banks only grow by what follows */
    uint32_t busiest = 0; /* in the current group */
    uint32_t run = 0;     /* threads on the current address, so far */
    for (size_t t = 0; t < count; t++) {
        const uint32_t a = checker->sorted[t];
        const uint32_t in_bank = ++checker->bank[a % checker->width];
        s->dmm = in_bank > s->dmm ? in_bank : s->dmm;
        run++;
        busiest = run > busiest ? run : busiest;
        const bool ends_address = t + 1 == count || checker->sorted[t + 1] != a;
        const bool ends_group = t + 1 == count || checker->sorted[t + 1] / checker->width != a / checker->width;
        run = ends_address ? 0 : run;
        if (ends_group) {
            s->umm += busiest;
            busiest = 0;
        }
    }
}

/* Goes through the threads warp by warp: those whose numbers divided by the width are the same. */
static void watch(pdp_checker *checker, uint32_t substep, const uint32_t *thread, const uint32_t *address, size_t count,
                  bool combines) {
    if (count == 0) {
        return;
    }
    start_substep(checker, count);
    pdp_record *found = &checker->found;
    uint32_t most = 0;
    for (size_t from = 0; from < count;) {
        const uint64_t warp_end = ((uint64_t)(thread[from] / checker->width) + 1) * checker->width;
        size_t to = count - from > checker->width ? from + checker->width : count;
        while (thread[to - 1] >= warp_end) {
            to--;
        }
        slots s = checker->shift < 32 ? watch_warp(checker, address + from, to - from, true)
                                      : watch_warp(checker, address + from, to - from, false);
        if (combines && s.repeats) {
            count_combining_slots(checker, address + from, to - from, &s);
        }
        found->cost_dmm += s.dmm;
        found->cost_umm += s.umm;
        found->conflicts[substep] += s.conflicts;
        most = s.most > most ? s.most : most;
        from = to;
    }
    found->cost_serial += most;
    found->cost_dmm += checker->latency - 1;
    found->cost_umm += checker->latency - 1;
    if (most > found->max_multiplicity[substep]) {
        found->max_multiplicity[substep] = most;
    }
}

void pdp_checker_read(pdp_checker *checker, uint32_t substep, const uint32_t *thread, const uint32_t *address,
                      size_t count) {
    uint64_t hazards = 0;
    for (size_t t = 0; t < count; t++) {
        __builtin_prefetch(&checker->stamp[address[t]], 1); /* wanted next, by watch */
        hazards += !checker->final[address[t]];
    }
    checker->found.hazards += hazards;
    watch(checker, substep, thread, address, count, false);
}

void pdp_checker_combine(pdp_checker *checker, uint32_t substep, const uint32_t *thread, const uint32_t *address,
                         size_t count) {
    watch(checker, substep, thread, address, count, true);
}

void pdp_checker_compute(pdp_checker *checker) {
    checker->found.cost_serial++;
}

void pdp_checker_finish(pdp_checker *checker, uint32_t address) {
    checker->final[address] = 1;
}

bool pdp_checker_is_final(const pdp_checker *checker, uint32_t address) {
    return checker->final[address];
}

bool pdp_checker_is_shared(const pdp_checker *checker, uint32_t address) {
    return checker->extra[address] > 0;
}

void pdp_checker_report(const pdp_checker *checker, pdp_record *record) {
    const pdp_record *found = &checker->found;
    record->hazards = found->hazards;
    memcpy(record->conflicts, found->conflicts, sizeof record->conflicts);
    memcpy(record->max_multiplicity, found->max_multiplicity, sizeof record->max_multiplicity);
    record->cost_serial = found->cost_serial;
    record->cost_dmm = found->cost_dmm;
    record->cost_umm = found->cost_umm;
}
