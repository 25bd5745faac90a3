#include "schedule/checker.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* What is known of an address is a byte, so that at n = 2,000 all of it stays in a core's cache: whether it
 * is final, and the number of the last substep that touched it. Substep numbers are reused when all are
 * used up, and so are those of the requests of warps. */
enum { FINAL = 0x80, SUBSTEPS = 0x7F, REQUESTS = UINT16_MAX, USUAL_WIDTH = 32 };

struct pdp_checker {
    size_t addresses;
    size_t groups; /* of addresses: address / width */
    uint32_t width;
    uint32_t latency;
    uint32_t substep;
    uint32_t request;
    uint8_t *state;
    uint16_t *group;  /* of an address group: the last request that touched it */
    uint16_t *bank;   /* distinct addresses of the current request in each bank */
    uint32_t *extra;  /* of an address: threads beyond the first in this substep */
    uint32_t *shared; /* the addresses whose extra is not 0 */
    size_t shared_count;
    uint32_t *sorted; /* room for the addresses of one warp */
    pdp_record found;
};

static size_t group_count(size_t addresses, uint32_t width) {
    return addresses / width + 1;
}

uint64_t pdp_checker_bytes(size_t addresses, uint32_t width) {
    uint64_t bytes = pdp_bytes_multiply(addresses, sizeof(uint8_t) + 2 * sizeof(uint32_t));
    bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(group_count(addresses, width), sizeof(uint16_t)));
    return pdp_bytes_add(bytes, sizeof(pdp_checker) + (sizeof(uint16_t) + sizeof(uint32_t)) * width);
}

pdp_status pdp_checker_create(pdp_checker **out, size_t addresses, size_t cells, size_t presets, uint32_t width,
                              uint32_t latency, pdp_error *error) {
    pdp_checker *checker = *out = pdp_array_allocate(1, sizeof *checker, error);
    if (!checker) {
        return error->status;
    }
    checker->addresses = addresses;
    checker->groups = group_count(addresses, width);
    checker->width = width;
    checker->latency = latency;
    checker->state = pdp_array_allocate(addresses, sizeof *checker->state, error);
    checker->group = pdp_array_allocate(checker->groups, sizeof *checker->group, error);
    checker->bank = pdp_array_allocate(width, sizeof *checker->bank, error);
    checker->extra = pdp_array_allocate(addresses, sizeof *checker->extra, error);
    checker->shared = pdp_array_allocate(addresses, sizeof *checker->shared, error);
    checker->sorted = pdp_array_allocate(width, sizeof *checker->sorted, error);
    if (!checker->state || !checker->group || !checker->bank || !checker->extra || !checker->shared ||
        !checker->sorted) {
        return error->status;
    }
    memset(checker->state, FINAL, presets);
    memset(checker->state + cells, FINAL, addresses - cells);
    return PDP_OK;
}

void pdp_checker_free(pdp_checker *checker) {
    if (checker) {
        free(checker->state);
        free(checker->group);
        free(checker->bank);
        free(checker->extra);
        free(checker->shared);
        free(checker->sorted);
        free(checker);
    }
}

static void start_substep(pdp_checker *checker) {
    while (checker->shared_count > 0) { /* kept until now for pdp_checker_is_shared */
        checker->extra[checker->shared[--checker->shared_count]] = 0;
    }
    if (++checker->substep > SUBSTEPS) {
        uint8_t *const state = checker->state; /* as locals, since a store to a byte may be one to anything */
        const size_t addresses = checker->addresses;
        for (size_t a = 0; a < addresses; a++) {
            state[a] &= FINAL;
        }
        checker->substep = 1;
    }
}

static void start_request(pdp_checker *checker) {
    if (++checker->request > REQUESTS) {
        memset(checker->group, 0, checker->groups * sizeof *checker->group);
        checker->request = 1;
    }
}

/* Notes one more thread on an address; returns how many there are now. */
static uint32_t share(pdp_checker *checker, uint32_t address) {
    if (checker->extra[address]++ == 0) {
        checker->shared[checker->shared_count++] = address;
    }
    return checker->extra[address] + 1;
}

static bool is_among(const uint32_t *addresses, size_t count, uint32_t address) {
    for (size_t t = 0; t < count; t++) {
        if (addresses[t] == address) {
            return true;
        }
    }
    return false;
}

typedef struct slots {
    uint32_t dmm;
    uint32_t umm;
    uint32_t hazards;
    uint32_t conflicts;
    uint32_t most; /* threads on one address, in the substep so far */
    bool repeats;  /* two threads of this warp are on one address */
} slots;

static inline uint32_t busiest_bank(const uint16_t *bank, uint32_t width) {
    uint16_t most = 0;
    for (uint32_t b = 0; b < width; b++) {
        most = bank[b] > most ? bank[b] : most;
    }
    return most;
}

/* One warp's request. Repeated addresses are counted once: right for reads. Always inlined, so that for a
 * constant width there is no division and no loop over the banks. */
__attribute__((always_inline)) static inline slots watch_warp(pdp_checker *checker, const uint32_t *address,
                                                              size_t count, const uint32_t width) {
    slots s = {.most = 1};
    start_request(checker);
    uint8_t *state = checker->state;
    uint16_t *groups = checker->group;
    uint16_t *bank = checker->bank;
    const uint8_t substep = (uint8_t)checker->substep;
    const uint16_t request = (uint16_t)checker->request;
    memset(bank, 0, width * sizeof *bank);
    for (size_t t = 0; t < count; t++) {
        const uint32_t a = address[t];
        const uint8_t before = state[a];
        const uint32_t group = a / width;
        s.hazards += before < FINAL;
        if ((before & SUBSTEPS) == substep) {
            uint32_t threads = share(checker, a);
            s.conflicts++;
            s.most = threads > s.most ? threads : s.most;
            if (is_among(address, t, a)) {
                s.repeats = true;
                continue;
            }
        }
        state[a] = (uint8_t)((before & FINAL) | substep);
        s.umm += groups[group] != request;
        groups[group] = request;
        bank[a - group * width]++;
    }
    s.dmm = busiest_bank(bank, width);
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
    s->umm = 0;
    uint32_t busiest = 0; /* in the current group */
    uint32_t run = 0;     /* threads on the current address, so far */
    for (size_t t = 0; t < count; t++) {
        const uint32_t a = checker->sorted[t];
        checker->bank[a % checker->width]++;
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
    s->dmm = busiest_bank(checker->bank, checker->width);
}

/* Whether the addresses go down by one from thread to thread, as those of a pipeline's cells do. */
static bool is_descending_run(const uint32_t *address, size_t count) {
    uint32_t differences = 0;
    for (size_t t = 0; t < count; t++) {
        differences |= address[t] ^ (address[0] - (uint32_t)t);
    }
    return differences == 0;
}

/* Such a warp needs no looking up: no two threads meet, and no two of them in one bank. */
static slots watch_run(const pdp_checker *checker, const uint32_t *address, size_t count) {
    const uint32_t groups = address[0] / checker->width - address[count - 1] / checker->width + 1;
    return (slots){.dmm = 1, .umm = groups, .most = 1};
}

static slots watch_any(pdp_checker *checker, const uint32_t *address, size_t count) {
    return checker->width == USUAL_WIDTH ? watch_warp(checker, address, count, USUAL_WIDTH)
                                         : watch_warp(checker, address, count, checker->width);
}

/* Goes through the threads warp by warp: those whose numbers divided by the width are the same. */
static void watch(pdp_checker *checker, uint32_t substep, const uint32_t *thread, const uint32_t *address, size_t count,
                  bool combines) {
    start_substep(checker);
    if (count == 0) {
        return;
    }
    pdp_record *found = &checker->found;
    const bool is_run = combines && is_descending_run(address, count);
    uint32_t most = 0;
    for (size_t from = 0; from < count;) {
        const uint64_t warp_end = ((uint64_t)(thread[from] / checker->width) + 1) * checker->width;
        size_t to = count - from > checker->width ? from + checker->width : count;
        while (thread[to - 1] >= warp_end) {
            to--;
        }
        slots s =
            is_run ? watch_run(checker, address + from, to - from) : watch_any(checker, address + from, to - from);
        if (combines && s.repeats) {
            count_combining_slots(checker, address + from, to - from, &s);
        }
        found->cost_dmm += s.dmm;
        found->cost_umm += s.umm;
        found->hazards += combines ? 0 : s.hazards;
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
    checker->state[address] |= FINAL;
}

bool pdp_checker_is_final(const pdp_checker *checker, uint32_t address) {
    return (checker->state[address] & FINAL) != 0;
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
