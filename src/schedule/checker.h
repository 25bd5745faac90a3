/* Watches the memory accesses of a run, substep by substep, and finds
 *   hazards    reads of a table cell that has not had its final write,
 *   conflicts  threads beyond the first that touch one address in one substep,
 * and what the accesses cost under three models of a memory:
 *   serial  the paper's: threads on one address are served one by one, all else at once, so a substep
 *           takes as long as its busiest address;
 *   DMM     address a lives in bank a mod w, and each warp of w threads takes as many slots as the
 *           most distinct addresses it wants of one bank;
 *   UMM     each warp takes a slot for each group a div w of addresses it wants.
 * DMM and UMM add the slots of all warps, and l - 1 for the answer of the last request. Threads of a
 * warp that read one address share a slot; threads that combine into one never do. */
#ifndef PDP_SCHEDULE_CHECKER_H
#define PDP_SCHEDULE_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

typedef struct pdp_checker pdp_checker;

/* Addresses 0 .. cells-1 are table cells, of which the first `presets` are final; the rest is scratch,
 * which is nobody's operand before its time and never a hazard. */
pdp_status pdp_checker_create(pdp_checker **out, size_t addresses, size_t cells, size_t presets, uint32_t width,
                              uint32_t latency, pdp_error *error);
uint64_t pdp_checker_bytes(size_t addresses, uint32_t width);
void pdp_checker_free(pdp_checker *checker);

/* The threads (numbers increasing) read, or combine into, these addresses in the same substep. */
void pdp_checker_read(pdp_checker *checker, uint32_t substep, const uint32_t *thread, const uint32_t *address,
                      size_t count);
void pdp_checker_combine(pdp_checker *checker, uint32_t substep, const uint32_t *thread, const uint32_t *address,
                         size_t count);

/* A substep that touches no memory takes one unit of the serial model. */
void pdp_checker_compute(pdp_checker *checker);

/* From now on the cell is final. */
void pdp_checker_finish(pdp_checker *checker, uint32_t address);

/* About the substep just watched: is the cell final, do several threads touch the address? */
bool pdp_checker_is_final(const pdp_checker *checker, uint32_t address);
bool pdp_checker_is_shared(const pdp_checker *checker, uint32_t address);

/* Adds what was found (hazards, conflicts, multiplicities, costs) to a record of zeros. */
void pdp_checker_report(const pdp_checker *checker, pdp_record *record);

#endif
