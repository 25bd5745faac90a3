#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "explain.h"
#include "json.h"
#include "save.h"
#include "value_text.h"

/* The longest report, and the most lines, that a terminal is shown whole; and how many cells where there is none. */
enum { SHOWN_LENGTH = 400, SHOWN_LINES = 20, SHOWN_CELLS = 8 };
enum { MOST_CELLS_SHOWN_OF = 1000000000 }; /* beyond that one cell may be had at once, and the last ones not */

/* The folder that a path's last part is in. */
static bool find_folder(const char *path, struct stat *out) {
    const char *slash = strrchr(path, '/');
    char *folder = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    const bool is_found = folder && stat(folder, out) == 0;
    free(folder);
    return is_found;
}

/* What is written to one would be lost in the other, by whatever names; devices take both. */
static bool is_same_file(const char *path, const char *other) {
    struct stat a, b;
    const bool exists = stat(path, &a) == 0;
    if (exists != (stat(other, &b) == 0) || (exists && !S_ISREG(a.st_mode))) {
        return false;
    }
    if (!exists) {
        const char *slash = strrchr(path, '/'), *other_slash = strrchr(other, '/');
        if (strcmp(slash ? slash + 1 : path, other_slash ? other_slash + 1 : other) != 0) {
            return false;
        }
        if (!find_folder(path, &a) || !find_folder(other, &b)) {
            return strcmp(path, other) == 0;
        }
    }
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Refuses what does not fit together, before anything is done. */
static int check_input(const run_input *input, const run_front *front) {
    const char *const names[RUN_FILES] = {"--table", "--splits", front->report_option, "--save", "--output"};
    for (int f = 0; f < RUN_FILES; f++) {
        for (int g = f + 1; g < RUN_FILES; g++) {
            const char *path = input->paths[f];
            const char *other = input->paths[g];
            if (path && other && is_same_file(path, other)) {
                return cli_fail(EXIT_BAD_USE, "%s and %s both go to '%s'", names[f], names[g], path);
            }
        }
        for (int s = 0; s < RUN_SOURCES && front->sources[s].name; s++) {
            const char *read = front->sources[s].path; /* NULL: it was given in place */
            if (input->paths[f] && read && is_same_file(input->paths[f], read)) {
                return cli_fail(EXIT_BAD_USE, "%s would replace '%s', which %s is read from", names[f], input->paths[f],
                                front->sources[s].name);
            }
        }
    }
    if (input->paths[RUN_SPLITS] && front->shape != PDP_INTERVAL) {
        return cli_fail(EXIT_BAD_USE, "--splits: %s is linear, and has no splits", front->name);
    }
    if (input->paths[RUN_REPORT] && !front->report_label) {
        return cli_fail(EXIT_BAD_USE, "%s: %s has no report clause", front->report_option, front->name);
    }
    if (input->print && front->shape != PDP_LINEAR) {
        return cli_fail(EXIT_BAD_USE, "--print: %s is not linear; --table writes its table", front->name);
    }
    if (input->has_at && front->shape != PDP_LINEAR) {
        return cli_fail(EXIT_BAD_USE, "--at: %s is not linear", front->name);
    }
    const char *with_table = input->paths[RUN_TABLE] ? "--table" : input->print ? "--print" : NULL;
    if (input->has_at && with_table) {
        return cli_fail(EXIT_BAD_USE, "--at and %s exclude each other", with_table);
    }
    if (input->print && input->last >= front->n) {
        return cli_fail(EXIT_BAD_USE, "--print: '%s' goes beyond the last cell, %zu", input->print, front->n - 1);
    }
    return EXIT_DONE;
}

/* ---- Plan and solve ---- */

static pdp_options make_options(const run_input *input, const run_front *front) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = input->algorithm;
    options.memory_limit = input->memory;
    options.type = input->type;
    options.threads = (int)input->threads;
    options.backend = input->backend;
    options.device_memory = input->device_memory;
    options.resident = input->resident;
    options.compile = !input->no_compile;
    options.explain = input->explain;
    options.table = input->paths[RUN_TABLE] != NULL;
    options.splits = input->paths[RUN_SPLITS] != NULL;
    const bool has_report = front->report_label && (!input->print || input->json || input->paths[RUN_REPORT]);
    options.decisions = has_report || input->paths[RUN_SAVE] != NULL;
    options.on_progress = cli_show_progress;
    options.at = input->has_at ? (int64_t)input->at : -1;
    const bool shows_cells = !front->report_label && !input->has_at && !input->json && front->n <= MOST_CELLS_SHOWN_OF;
    options.last_cells = input->print ? front->n - input->first : shows_cells ? SHOWN_CELLS : 0;
    options.verify = input->verify;
    return options;
}

static int make_plan(const pdp_problem *problem, const pdp_options *options, pdp_plan **plan) {
    cli_catch_signals(); /* a compiler may be at work */
    pdp_status status = pdp_plan_create(plan, problem, options);
    if (cli_interrupted() != 0) {
        return EXIT_FAILED;
    }
    if (status != PDP_OK) {
        return cli_fail(cli_exit_code(status), "%s", pdp_plan_error(*plan));
    }
    if (*pdp_plan_note(*plan) != '\0') {
        cli_fail(EXIT_DONE, "note: %s", pdp_plan_note(*plan));
    }
    return EXIT_DONE;
}

static int run_made_plan(const pdp_plan *plan, pdp_solution **solution) {
    pdp_status status = pdp_plan_run(plan, solution);
    cli_clear_progress();
    if (cli_interrupted() != 0) { /* also where a method was done before it could be cancelled */
        return EXIT_FAILED;
    }
    if (status == PDP_OK && *pdp_solution_note(*solution) != '\0') {
        cli_fail(EXIT_DONE, "note: %s", pdp_solution_note(*solution));
    }
    if (status == PDP_OK || status == PDP_CANCELLED) {
        return cli_exit_code(status);
    }
    return cli_fail(cli_exit_code(status), "%s", pdp_solution_error(*solution));
}

int run_plan(const pdp_problem *problem, const pdp_options *options, pdp_plan **plan, pdp_solution **solution) {
    cli_start_progress(0, NULL);
    int code = make_plan(problem, options, plan);
    return code == EXIT_DONE ? run_made_plan(*plan, solution) : code;
}

/* What a solve counts in, for its rate: C(n+1, 3) terms of an interval problem. */
static void start_progress(const run_front *front) {
    const double n = (double)front->n;
    if (front->shape == PDP_INTERVAL) {
        cli_start_progress((n + 1) * n * (n - 1) / 6, "terms");
    } else {
        cli_start_progress(n, "cells");
    }
}

/* ---- The outcome ---- */

/* Cells of a linear table: those of --print or, where no decisions are to be told, how it ends. */
typedef struct shown_cells {
    size_t count; /* 0: none are shown */
    bool is_real;
    int64_t *whole; /* or ... */
    double *real;
    const pdp_solution *solution;
    size_t first;
} shown_cells;

/* What a run has come to. */
typedef struct outcome {
    const pdp_plan *plan;
    const pdp_solution *solution;
    char *report; /* or NULL */
    shown_cells cells;
} outcome;

/* Into int64_t or double, as the solution has them. */
static pdp_status read_cells(const pdp_solution *solution, size_t row, size_t first, void *cells, size_t count) {
    return pdp_solution_is_real(solution) ? pdp_solution_real_cells(solution, row, first, cells, count)
                                          : pdp_solution_cells(solution, row, first, cells, count);
}

/* Cells that the method has not kept are none. */
static int take_cells(shown_cells *cells, const pdp_solution *solution, size_t first, size_t count) {
    void *data = calloc(count, sizeof(int64_t)); /* a double is as large */
    cells->is_real = pdp_solution_is_real(solution) != 0;
    if (!data) {
        return cli_fail(EXIT_FAILED, "the cells: out of memory");
    }
    cells->solution = solution;
    cells->first = first;
    cells->whole = cells->is_real ? NULL : data;
    cells->real = cells->is_real ? data : NULL;
    cells->count = read_cells(solution, 0, first, data, count) == PDP_OK ? count : 0;
    return EXIT_DONE;
}

/* What --print asks for has to be there; how the table ends is only told if it is. */
static int find_cells(const run_input *input, const run_front *front, outcome *result) {
    if (input->print) {
        const size_t first = (size_t)input->first;
        const int code = take_cells(&result->cells, result->solution, first, (size_t)input->last - first + 1);
        return code == EXIT_DONE && result->cells.count == 0 ? cli_fail(EXIT_FAILED, "--print: there is no table")
                                                             : code;
    }
    if (front->shape == PDP_LINEAR && !front->report_label && !input->has_at && !input->json) {
        const size_t count = front->n < SHOWN_CELLS ? front->n : SHOWN_CELLS;
        return take_cells(&result->cells, result->solution, front->n - count, count);
    }
    return EXIT_DONE;
}

static void free_cells(shown_cells *cells) {
    free(cells->whole);
    free(cells->real);
}

/* ---- Text ---- */

static bool is_set(const run_front *front, const pdp_plan *plan) {
    return front->shape == PDP_INTERVAL && strcmp(pdp_plan_type(plan), "bits") == 0;
}

/* Why there is no value. */
static const char *explain_none(const run_input *input, const run_front *front, const pdp_plan *plan) {
    return is_set(front, plan)            ? "none: there is no way to derive the whole"
           : front->shape == PDP_INTERVAL ? "none: there is no way to put the whole together"
           : input->has_at                ? "none: there is no way to reach it"
                                          : "none: there is no way to reach the last cell";
}

static void print_value(FILE *out, const run_front *front, const pdp_plan *plan, const pdp_solution *solution,
                        const char *none) {
    if (!pdp_solution_feasible(solution)) {
        fputs(none, out);
    } else if (pdp_solution_is_real(solution)) {
        value_print_real(out, pdp_solution_real_value(solution));
    } else if (is_set(front, plan)) {
        value_print_set(out, (uint64_t)pdp_solution_value(solution));
    } else {
        fprintf(out, "%" PRId64, pdp_solution_value(solution));
    }
    fputc('\n', out);
}

/* A report of several lines has them all in one column. */
static void print_report(FILE *out, const run_front *front, const char *report) {
    const bool cuts = out == stdout && isatty(STDOUT_FILENO);
    const size_t length = strlen(report);
    size_t lines = 1;
    for (const char *c = report; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    fprintf(out, "%-9s ", front->report_label);
    if (cuts && lines == 1 && length > SHOWN_LENGTH) {
        fprintf(out, "%.*s... (%zu characters; %s F writes them all)\n", SHOWN_LENGTH, report, length,
                front->report_option);
        return;
    }
    for (size_t line = 0; line < lines; line++) {
        if (cuts && lines > SHOWN_LINES && line == SHOWN_LINES - 1) {
            fprintf(out, "%10s... (%zu lines; %s F writes them all)\n", "", lines, front->report_option);
            return;
        }
        const size_t part = strcspn(report, "\n");
        fprintf(out, "%*s", line > 0 ? 10 : 0, "");
        fwrite(report, 1, part, out);
        fputc('\n', out);
        report += part + 1;
    }
}

static bool is_infeasible(const shown_cells *cells, size_t at) {
    return !pdp_solution_cell_feasible(cells->solution, 0, cells->first + at);
}

static void print_cells(FILE *out, const run_input *input, const shown_cells *cells) {
    for (size_t x = 0; x < cells->count; x++) {
        fprintf(out, "ST[%" PRIu64 "] = ", input->first + x);
        if (is_infeasible(cells, x)) {
            fputs("none", out);
        } else if (cells->is_real) {
            value_print_real(out, cells->real[x]);
        } else {
            fprintf(out, "%" PRId64, cells->whole[x]);
        }
        fputc('\n', out);
    }
}

static void print_last_cells(FILE *out, const shown_cells *cells) {
    fprintf(out, "last %zu   ", cells->count);
    for (size_t x = 0; x < cells->count; x++) {
        if (is_infeasible(cells, x)) {
            fputs(" none", out);
        } else if (cells->is_real) {
            fprintf(out, " %.6g", cells->real[x]);
        } else {
            fprintf(out, " %" PRId64, cells->whole[x]);
        }
    }
    fputc('\n', out);
}

static void print_text(FILE *out, const run_input *input, const run_front *front, const outcome *result) {
    const pdp_plan *plan = result->plan;
    const pdp_solution *solution = result->solution;
    const int threads = pdp_plan_threads(plan);
    fprintf(out, "%-9s %s\n", front->heading[0], front->heading[1]);
    if (input->has_at) {
        fprintf(out, "cell      %" PRIu64 "\n", input->at);
    }
    fprintf(out, "%-9s ", front->value_label);
    print_value(out, front, plan, solution, explain_none(input, front, plan));
    if (result->report) {
        print_report(out, front, result->report);
    } else if (result->cells.count > 0) {
        print_last_cells(out, &result->cells);
    }
    const char *checked = "";
    const pdp_certificate certificate = pdp_solution_certificate(solution, &checked);
    if (*checked != '\0') {
        fprintf(out, "%-9s %s\n", pdp_certificate_name(certificate), checked);
    }
    fprintf(out, "method    %s on the %s, %s, %d thread%s, %.3f s%s\n", pdp_plan_algorithm(plan),
            pdp_solution_backend(solution), pdp_plan_type(plan), threads, threads == 1 ? "" : "s",
            pdp_solution_seconds(solution), pdp_plan_guaranteed(plan) ? "" : " (kept for study: may be wrong)");
}

static void print_plan(FILE *out, const run_front *front, const pdp_plan *plan) {
    fprintf(out, "%-9s %s\n", front->heading[0], front->heading[1]);
    fprintf(out, "method    %s on the %s%s\n", pdp_plan_algorithm(plan), pdp_plan_backend(plan),
            pdp_plan_guaranteed(plan) ? "" : " (kept for study: may be wrong)");
    fprintf(out, "type      %s\n", pdp_plan_type(plan));
    fprintf(out, "threads   %d\n", pdp_plan_threads(plan));
    fprintf(out, "bytes     %" PRIu64 "\n", pdp_plan_bytes(plan));
    explain_print(out, plan);
}

/* ---- JSON ---- */

static void open_json(json *writer, const run_front *front) {
    json_open_object(writer, NULL);
    json_put_string(writer, "problem", front->name);
    json_put_unsigned(writer, "n", front->n);
    if (front->op) {
        json_put_unsigned(writer, "k", front->offset_count);
        json_put_string(writer, "op", front->op);
    }
}

static void write_plan_json(json *writer, const pdp_plan *plan, const char *backend, const char *note) {
    json_put_string(writer, "algorithm", pdp_plan_algorithm(plan));
    json_put_string(writer, "backend", backend);
    json_put_string(writer, "type", pdp_plan_type(plan));
    json_put_integer(writer, "threads", pdp_plan_threads(plan));
    json_put_boolean(writer, "guaranteed", pdp_plan_guaranteed(plan) != 0);
    if (*note != '\0') {
        json_put_string(writer, "note", note);
    }
    explain_write(writer, plan);
}

static void print_plan_json(FILE *out, const run_front *front, const pdp_plan *plan) {
    json writer;
    json_begin(&writer, out);
    open_json(&writer, front);
    if (pdp_plan_count(plan) > 1) {
        json_put_unsigned(&writer, "problems", pdp_plan_count(plan));
    }
    write_plan_json(&writer, plan, pdp_plan_backend(plan), pdp_plan_note(plan));
    json_put_unsigned(&writer, "bytes", pdp_plan_bytes(plan));
    json_close_object(&writer);
    json_end(&writer);
}

static void write_value_json(json *writer, const run_front *front, const pdp_plan *plan, const pdp_solution *solution) {
    if (!pdp_solution_feasible(solution)) {
        json_put_null(writer, "value");
    } else if (pdp_solution_is_real(solution)) {
        json_put_exact(writer, "value", pdp_solution_real_value(solution));
    } else if (is_set(front, plan)) {
        json_put_unsigned(writer, "value", (uint64_t)pdp_solution_value(solution));
    } else {
        json_put_integer(writer, "value", pdp_solution_value(solution));
    }
    json_put_boolean(writer, "feasible", pdp_solution_feasible(solution) != 0);
}

static void write_cells_json(json *writer, const shown_cells *cells) {
    json_open_array(writer, "cells");
    for (size_t x = 0; x < cells->count; x++) {
        if (is_infeasible(cells, x)) {
            json_put_null(writer, NULL);
        } else if (cells->is_real) {
            json_put_exact(writer, NULL, cells->real[x]);
        } else {
            json_put_integer(writer, NULL, cells->whole[x]);
        }
    }
    json_close_array(writer);
}

/* ---- Files ---- */

/* Part by part: the table need not be in memory a second time. A failed write shows up when the file is finished. */
static int write_table(FILE *stream, const run_front *front, const outcome *result) {
    const bool is_real = pdp_solution_is_real(result->solution) != 0;
    const pdp_npy_type type = !is_real                                          ? PDP_NPY_I8
                              : strcmp(pdp_plan_type(result->plan), "f32") == 0 ? PDP_NPY_F4
                                                                                : PDP_NPY_F8;
    const size_t columns = front->shape == PDP_INTERVAL ? front->n + 1 : front->n;
    const size_t rows = front->shape == PDP_INTERVAL ? columns : 1;
    int64_t cells[2048]; /* or doubles, which are as large */
    enum { PART = sizeof cells / sizeof *cells };
    pdp_status status = pdp_npy_begin(stream, type, front->shape == PDP_INTERVAL ? rows : 0, columns);
    for (size_t row = 0; row < rows; row++) {
        for (size_t at = 0; at < columns && status == PDP_OK && cli_interrupted() == 0; at += PART) {
            const size_t count = columns - at < PART ? columns - at : PART;
            status = read_cells(result->solution, row, at, cells, count);
            status = status == PDP_OK ? pdp_npy_append(stream, type, cells, count) : status;
        }
    }
    return status == PDP_BAD_INPUT ? cli_fail(EXIT_FAILED, "--table: there is no table") : EXIT_DONE;
}

/* Writes the files that are open to the disk, but not yet to their places. */
static int write_files(cli_output files[RUN_FILES], const run_input *input, const run_front *front,
                       const outcome *result) {
    int code = files[RUN_TABLE].stream ? write_table(files[RUN_TABLE].stream, front, result) : EXIT_DONE;
    if (files[RUN_SPLITS].stream && code == EXIT_DONE) {
        (void)pdp_npy_write(files[RUN_SPLITS].stream, pdp_solution_splits(result->solution), front->n + 1,
                            front->n + 1);
    }
    if (files[RUN_REPORT].stream && result->report) { /* there is nothing to say where there is no way */
        fprintf(files[RUN_REPORT].stream, "%s\n", result->report);
    }
    if (files[RUN_SAVE].stream && code == EXIT_DONE) {
        code = save_solution(files[RUN_SAVE].stream, input, front, result->plan, result->solution);
    }
    for (int f = 0; f < RUN_OUTPUT && code == EXIT_DONE; f++) {
        code = cli_output_finish(&files[f]);
    }
    return code;
}

static void write_result_json(json *writer, const run_input *input, const run_front *front, const outcome *result) {
    open_json(writer, front);
    if (input->has_at) {
        json_put_unsigned(writer, "at", input->at);
    }
    write_value_json(writer, front, result->plan, result->solution);
    if (result->report) {
        json_put_string(writer, front->report_key, result->report);
    }
    const char *note = pdp_solution_note(result->solution);
    write_plan_json(writer, result->plan, pdp_solution_backend(result->solution),
                    *note != '\0' ? note : pdp_plan_note(result->plan));
    json_put_double(writer, "seconds", pdp_solution_seconds(result->solution));
    const char *checked = "";
    json_put_string(writer, "certificate", pdp_certificate_name(pdp_solution_certificate(result->solution, &checked)));
    if (*checked != '\0') {
        json_put_string(writer, "checked", checked);
        json_put_double(writer, "verify_seconds", pdp_solution_verify_seconds(result->solution));
    }
    if (pdp_solution_device_seconds(result->solution) > 0) {
        json_put_double(writer, "kernel_seconds", pdp_solution_device_seconds(result->solution));
    }
    if (input->print) {
        write_cells_json(writer, &result->cells);
    }
    json_close_object(writer);
}

/* Beside cells, which are to be read by programs. */
static void note_certificate(const pdp_solution *solution) {
    const char *checked = "";
    const pdp_certificate certificate = pdp_solution_certificate(solution, &checked);
    if (*checked != '\0') {
        cli_fail(EXIT_DONE, "note: %s: %s", pdp_certificate_name(certificate), checked);
    }
}

static void print_result(FILE *out, const run_input *input, const run_front *front, const outcome *result) {
    if (input->json) {
        json writer;
        json_begin(&writer, out);
        write_result_json(&writer, input, front, result);
        json_end(&writer);
        return;
    }
    if (input->print) {
        print_cells(out, input, &result->cells);
        note_certificate(result->solution);
    } else {
        print_text(out, input, front, result);
    }
    explain_print(out, result->plan);
}

/* When the result is out as well, nothing can go wrong any more but the renaming itself. */
static int put_in_place(cli_output files[RUN_FILES]) {
    int code = cli_output_finish(&files[RUN_OUTPUT]);
    if (code == EXIT_DONE) {
        code = cli_flush_stdout();
    }
    if (cli_interrupted() != 0) {
        return EXIT_FAILED;
    }
    for (int f = 0; f < RUN_FILES && code == EXIT_DONE; f++) {
        code = files[f].file ? cli_output_commit(&files[f]) : EXIT_DONE;
    }
    return code;
}

/* Everything after the solve. */
static int put_out(const run_input *input, const run_front *front, cli_output files[RUN_FILES], const pdp_plan *plan,
                   const pdp_solution *solution) {
    outcome result = {.plan = plan, .solution = solution};
    if (front->report_label && pdp_solution_feasible(solution)) {
        result.report = pdp_solution_report(solution);
    }
    int code = find_cells(input, front, &result);
    if (code == EXIT_DONE) {
        code = write_files(files, input, front, &result);
    }
    if (code == EXIT_DONE && cli_interrupted() == 0) {
        print_result(files[RUN_OUTPUT].stream ? files[RUN_OUTPUT].stream : stdout, input, front, &result);
        code = put_in_place(files);
    }
    free_cells(&result.cells);
    free(result.report);
    return code;
}

static int open_files(const run_input *input, cli_output files[RUN_FILES]) {
    int code = EXIT_DONE;
    for (int f = input->dry_run ? RUN_OUTPUT : 0; f < RUN_FILES && code == EXIT_DONE; f++) {
        code = input->paths[f] ? cli_output_open(&files[f], input->paths[f]) : EXIT_DONE;
    }
    return code;
}

/* What is asked for, and the method does not have. */
static int check_plan(const run_input *input, const pdp_plan *plan) {
    const char *algorithm = pdp_plan_algorithm(plan);
    const bool is_window = strcmp(algorithm, "window") == 0;
    const bool has_cells = strcmp(algorithm, "hu-shing") != 0 && strcmp(algorithm, "bostan-mori") != 0;
    const char *wants = input->paths[RUN_TABLE] ? "--table" : input->print ? "--print" : NULL;
    if (wants && (!has_cells || (is_window && input->paths[RUN_TABLE]))) {
        return cli_fail(EXIT_BAD_USE, "%s: method '%s' has no table", wants, algorithm);
    }
    if (is_window && input->paths[RUN_REPORT]) {
        return cli_fail(EXIT_BAD_USE, "--report: method 'window' has no decisions");
    }
    return EXIT_DONE;
}

int run_problem(const run_input *input, const run_front *front) {
    const pdp_options options = make_options(input, front);
    cli_output files[RUN_FILES] = {0};
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    int code = check_input(input, front);
    if (code == EXIT_DONE) {
        code = make_plan(front->problem, &options, &plan);
    }
    if (code == EXIT_DONE) {
        code = check_plan(input, plan);
    }
    if (code == EXIT_DONE) {
        code = open_files(input, files);
    }
    if (code == EXIT_DONE && input->dry_run) {
        FILE *out = files[RUN_OUTPUT].stream ? files[RUN_OUTPUT].stream : stdout;
        (input->json ? print_plan_json : print_plan)(out, front, plan);
        code = put_in_place(files);
    } else if (code == EXIT_DONE) {
        start_progress(front);
        code = run_made_plan(plan, &solution);
        code = code == EXIT_DONE ? put_out(input, front, files, plan, solution) : code;
    }
    for (int f = 0; f < RUN_FILES; f++) {
        cli_output_free(&files[f]);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

/* ---- Batches ---- */

/* A text that names a problem by its number is told with its line. */
static int fail_batch(const run_batch *batch, pdp_status status, const char *text) {
    static const char word[] = "problem ";
    const bool is_named = strncmp(text, word, sizeof word - 1) == 0;
    const unsigned long long number = is_named ? strtoull(text + sizeof word - 1, NULL, 10) : 0;
    if (number >= 1 && number <= batch->count) {
        return cli_fail(cli_exit_code(status), "%s, line %zu: %s", batch->path, batch->lines[number - 1], text);
    }
    return cli_fail(cli_exit_code(status), "%s: %s", batch->path, text);
}

static int check_batch_input(const run_input *input, const run_front *front) {
    const char *wants = input->paths[RUN_TABLE]    ? "--table"
                        : input->paths[RUN_SPLITS] ? "--splits"
                        : input->paths[RUN_SAVE]   ? "--save"
                        : input->print             ? "--print"
                                                   : NULL;
    return wants ? cli_fail(EXIT_BAD_USE, "%s is for one problem, not for --batch", wants) : check_input(input, front);
}

static int make_batch_plan(const pdp_options *options, const run_batch *batch, pdp_plan **plan) {
    cli_catch_signals();
    pdp_status status = pdp_plan_batch(plan, batch->problems, batch->count, options);
    if (cli_interrupted() != 0) {
        return EXIT_FAILED;
    }
    if (status != PDP_OK) {
        return fail_batch(batch, status, pdp_plan_error(*plan));
    }
    if (*pdp_plan_note(*plan) != '\0') {
        cli_fail(EXIT_DONE, "note: %s", pdp_plan_note(*plan));
    }
    return EXIT_DONE;
}

/* Solves; a problem that cannot be solved is named, and how many more there are. */
static int run_batch_plan(const pdp_plan *plan, const run_batch *batch, pdp_solution **solutions) {
    cli_start_progress(pdp_plan_updates(plan), "terms");
    pdp_status status = pdp_plan_run_batch(plan, solutions);
    cli_clear_progress();
    if (cli_interrupted() != 0) {
        return EXIT_FAILED;
    }
    const size_t none = batch->count;
    size_t first = none, more = 0;
    for (size_t x = 0; status != PDP_OK && x < batch->count; x++) {
        const bool is_good = *pdp_solution_error(solutions[x]) == '\0';
        more += !is_good && first != none;
        first = is_good || first != none ? first : x;
    }
    if (first == none) {
        const char *note = pdp_solution_note(solutions[0]);
        return *note != '\0' ? cli_fail(EXIT_DONE, "note: %s", note) : EXIT_DONE;
    }
    char others[48] = "";
    if (more > 0) {
        snprintf(others, sizeof others, " (and %zu more)", more);
    }
    return cli_fail(cli_exit_code(status), "%s, line %zu: %s%s", batch->path, batch->lines[first],
                    pdp_solution_error(solutions[first]), others);
}

/* Every line of a report has the problem's number before it. */
static void write_numbered(FILE *out, size_t number, const char *report) {
    while (*report != '\0') {
        const size_t part = strcspn(report, "\n");
        fprintf(out, "%zu\t%.*s\n", number, (int)part, report);
        report += part + (report[part] == '\n');
    }
}

/* Beside the lines, which have but number and value. */
static void note_certificates(pdp_solution *const *solutions, size_t count) {
    size_t counts[PDP_CERTIFIED + 1] = {0};
    for (size_t x = 0; x < count; x++) {
        counts[pdp_solution_certificate(solutions[x], NULL)]++;
    }
    cli_fail(EXIT_DONE, "note: %zu certified, %zu witness, %zu unchecked", counts[PDP_CERTIFIED], counts[PDP_WITNESS],
             counts[PDP_UNCHECKED]);
}

/* A line a problem, or an object in an array. */
static int print_batch(const run_input *input, const run_front *front, const run_batch *batch,
                       cli_output files[RUN_FILES], const pdp_plan *plan, pdp_solution *const *solutions) {
    FILE *out = files[RUN_OUTPUT].stream ? files[RUN_OUTPUT].stream : stdout;
    FILE *reports = files[RUN_REPORT].stream;
    json writer;
    if (input->json) {
        json_begin(&writer, out);
        json_open_array(&writer, NULL);
    }
    for (size_t x = 0; x < batch->count && cli_interrupted() == 0; x++) {
        const size_t size = pdp_problem_size(batch->problems[x]);
        const bool has_report = (input->json || reports) && front->report_label && pdp_solution_feasible(solutions[x]);
        run_front own = *front;
        outcome result = {.plan = plan, .solution = solutions[x]};
        own.n = front->shape == PDP_INTERVAL ? size - 1 : size;
        result.report = has_report ? pdp_solution_report(solutions[x]) : NULL;
        if (input->json) {
            write_result_json(&writer, input, &own, &result);
        } else {
            fprintf(out, "%zu\t", x + 1);
            print_value(out, &own, plan, solutions[x], "none");
        }
        if (reports && result.report) {
            write_numbered(reports, x + 1, result.report);
        }
        free(result.report);
    }
    if (input->json) {
        json_close_array(&writer);
        json_end(&writer);
    } else {
        explain_print(out, plan);
    }
    if (!input->json && input->verify > 0) {
        note_certificates(solutions, batch->count);
    }
    int code = cli_output_finish(&files[RUN_REPORT]);
    return code == EXIT_DONE && cli_interrupted() == 0 ? put_in_place(files) : code;
}

int run_problems(const run_input *input, const run_front *front, const run_batch *batch) {
    pdp_options options = make_options(input, front);
    cli_output files[RUN_FILES] = {0};
    pdp_plan *plan = NULL;
    pdp_solution **solutions = calloc(batch->count, sizeof(void *));
    options.decisions = front->report_label && (input->json || input->paths[RUN_REPORT]);
    options.last_cells = 0;
    if (!solutions) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    int code = check_batch_input(input, front);
    code = code == EXIT_DONE ? make_batch_plan(&options, batch, &plan) : code;
    code = code == EXIT_DONE ? open_files(input, files) : code;
    if (code == EXIT_DONE && input->dry_run) {
        FILE *out = files[RUN_OUTPUT].stream ? files[RUN_OUTPUT].stream : stdout;
        (input->json ? print_plan_json : print_plan)(out, front, plan);
        code = put_in_place(files);
    } else if (code == EXIT_DONE) {
        code = run_batch_plan(plan, batch, solutions);
        code = code == EXIT_DONE ? print_batch(input, front, batch, files, plan, solutions) : code;
    }
    for (int f = 0; f < RUN_FILES; f++) {
        cli_output_free(&files[f]);
    }
    for (size_t x = 0; x < batch->count; x++) {
        pdp_solution_free(solutions[x]);
    }
    free(solutions);
    pdp_plan_free(plan);
    return code;
}
