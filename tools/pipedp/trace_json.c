/* A run as JSON. Cells have the paper's numbers; scratch slots of the tournament keep theirs, which begin where the
 * table ends: cells and up for S-DP, cells + 1 and up for a matrix chain. */
#include "json.h"
#include "trace.h"

/* ---- The summary's members ---- */

static void write_substeps(json *writer, const trace *run) {
    const pdp_record *record = run->record;
    json_open_array(writer, "substeps");
    for (uint32_t s = 0; s < record->substeps; s++) {
        json_put_string(writer, NULL, pdp_substep_name(run->kind, s));
    }
    json_close_array(writer);
    json_open_array(writer, "conflicts");
    for (uint32_t s = 0; s < record->substeps; s++) {
        json_put_unsigned(writer, NULL, record->conflicts[s]);
    }
    json_close_array(writer);
    json_open_array(writer, "max_multiplicity");
    for (uint32_t s = 0; s < record->substeps; s++) {
        json_put_unsigned(writer, NULL, record->max_multiplicity[s]);
    }
    json_close_array(writer);
}

static void write_summary(json *writer, const trace *run) {
    const pdp_record *record = run->record;
    json_put_string(writer, "problem", run->kind == PDP_LINEAR ? "sdp" : "mcm");
    json_put_unsigned(writer, "n", run->n);
    if (run->kind == PDP_LINEAR) {
        json_put_unsigned(writer, "k", run->offset_count);
        json_put_string(writer, "op", run->op);
    }
    json_put_string(writer, "algorithm", run->algorithm);
    json_put_string(writer, "backend", "machine");
    json_put_boolean(writer, "guaranteed", run->guaranteed);
    json_put_integer(writer, "value", pdp_solution_value(run->solution));
    json_put_unsigned(writer, "steps", record->steps);
    json_put_unsigned(writer, "operations", record->operations);
    json_put_unsigned(writer, "threads", record->threads);
    json_put_double(writer, "utilisation", record->utilisation);
    json_put_unsigned(writer, "hazards", record->hazards);
    write_substeps(writer, run);
    json_open_object(writer, "cost");
    json_put_unsigned(writer, "serial", record->cost_serial);
    json_put_unsigned(writer, "dmm", record->cost_dmm);
    json_put_unsigned(writer, "umm", record->cost_umm);
    json_put_unsigned(writer, "width", run->width);
    json_put_unsigned(writer, "latency", run->latency);
    json_close_object(writer);
}

void trace_write_summary_json(const trace *run, FILE *out) {
    json writer;
    json_begin(&writer, out);
    json_open_object(&writer, NULL);
    write_summary(&writer, run);
    json_close_object(&writer);
    json_end(&writer);
}

/* ---- The steps ---- */

static void write_flagged(json *writer, uint32_t flags, uint32_t flag, uint32_t number) {
    if ((flags & flag) != 0) {
        json_put_unsigned(writer, NULL, number);
    }
}

static void write_operation(json *writer, const pdp_operation *operation) {
    const uint32_t flags = operation->flags;
    json_open_object(writer, NULL);
    json_put_unsigned(writer, "thread", operation->thread);
    json_put_unsigned(writer, "cell", operation->target);
    json_open_array(writer, "operands");
    for (size_t side = 0; side < 2; side++) {
        if (operation->operand[side] != PDP_NO_OPERAND) {
            json_put_unsigned(writer, NULL, operation->operand[side]);
        }
    }
    json_close_array(writer);
    json_put_boolean(writer, "stores", (flags & PDP_STORES) != 0);
    json_put_boolean(writer, "finishes", (flags & PDP_FINISHES) != 0);
    json_put_integer(writer, "value", operation->value);
    json_open_array(writer, "hazards");
    write_flagged(writer, flags, PDP_LEFT_HAZARD, operation->operand[0]);
    write_flagged(writer, flags, PDP_RIGHT_HAZARD, operation->operand[1]);
    json_close_array(writer);
    json_open_array(writer, "conflicts");
    write_flagged(writer, flags, PDP_LEFT_CONFLICT, operation->operand[0]);
    write_flagged(writer, flags, PDP_RIGHT_CONFLICT, operation->operand[1]);
    write_flagged(writer, flags, PDP_TARGET_CONFLICT, operation->target);
    json_close_array(writer);
    json_close_object(writer);
}

void trace_write_json(const trace *run, FILE *out) {
    json writer;
    json_begin(&writer, out);
    json_open_object(&writer, NULL);
    write_summary(&writer, run);
    json_open_array(&writer, "trace");
    for (size_t r = 0; r < run->step_count; r++) {
        const trace_step *step = &run->steps[r];
        json_open_object(&writer, NULL);
        json_put_unsigned(&writer, "step", step->number);
        json_open_array(&writer, "operations");
        for (size_t i = 0; i < step->count; i++) {
            write_operation(&writer, &run->operations[step->first + i]);
        }
        json_close_array(&writer);
        json_close_object(&writer);
    }
    json_close_array(&writer);
    json_close_object(&writer);
    json_end(&writer);
}
