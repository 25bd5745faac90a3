/* The file of --batch: a problem a line. */
#ifndef PIPEDP_SOLVE_BATCH_H
#define PIPEDP_SOLVE_BATCH_H

#include "recurrence_argument.h"
#include "run.h"

/* Reads the file, "-" for standard input. A line has NAME=VALUE pairs between blanks, or the value alone of the one
 * field that is not given otherwise; `common` are those of the command line, which a line may replace. From a # on it
 * is a comment. Returns an exit code; on failure has said why. The batch is to be freed in any case. */
int batch_read(run_batch *batch, const char *path, const pdp_recurrence *recurrence, const field_value *common,
               size_t common_count);
void batch_free(run_batch *batch);

#endif
