/* What pipedp bench paper found: in words, as JSON, and as a picture. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench_paper.h"
#include "json.h"

static double mean(const double *values, size_t count) {
    double sum = 0;
    for (size_t x = 0; x < count; x++) {
        sum += values[x];
    }
    return sum / (double)count;
}

/* In milliseconds; 0 if there are no times. */
static double mean_of(const paper_cell *cell) {
    return cell->runs == 0 ? 0 : 1e3 * mean(cell->seconds, cell->runs);
}

/* ---- Words ---- */

enum { NUMBER_SIZE = 32 };

/* About four digits. */
static const char *show(char text[NUMBER_SIZE], double value) {
    const int digits = value <= 0 || value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : value >= 0.1 ? 3 : 4;
    if (value <= 0) {
        snprintf(text, NUMBER_SIZE, "-");
    } else {
        snprintf(text, NUMBER_SIZE, "%.*f", digits, value);
    }
    return text;
}

/* Mean, how many times as fast as the first, executions. */
static void print_times(const paper_cell *cell, const paper_cell *first) {
    char time[NUMBER_SIZE], speed[NUMBER_SIZE];
    const double own = mean_of(cell);
    printf(" |%11s %10s", show(time, own), show(speed, own > 0 ? mean_of(first) / own : 0));
    if (cell->runs > 0) {
        printf(" %5zu", cell->runs);
    } else {
        printf(" %5s", "-");
    }
}

static void print_kind(const paper_method *m, const paper_cell *cell) {
    char type[48] = "";
    if (cell->threads > 1) {
        snprintf(type, sizeof type, "%s, %d threads", cell->type, cell->threads);
    } else {
        snprintf(type, sizeof type, "%s", cell->type);
    }
    printf("  %-20s %-16s", m->name, type);
}

/* Why there are no times. A missing GPU is told at the top. */
static void print_reasons(const paper_report *report, const paper_cell *cells, const paper_method *methods,
                          size_t count) {
    for (size_t m = 0; m < count; m++) {
        if (cells[m].runs == 0 && !methods[m].first_row_only && strcmp(cells[m].why, report->why) != 0) {
            printf("  %s: %s\n", methods[m].name, cells[m].why);
        }
    }
}

void paper_print_head(const paper_report *report) {
    if (report->json) {
        return;
    }
    if (report->device) {
        printf("on %s, %s; CPU %s", pdp_device_name(report->device), pdp_device_driver(report->device),
               pdp_cpu_level());
    } else {
        printf("on CPU %s; the methods of a GPU are left out: %s", pdp_cpu_level(), report->why);
    }
    printf("\nseed %" PRIu64 "; means of up to %" PRIu64 " executions, none begun %g s after a method's first\n\n",
           report->seed, report->runs, report->seconds);
    fflush(stdout);
}

static void print_offsets(const paper_row *row) {
    printf("n = %" PRIu64 ", k = %" PRIu64 ", offsets", row->n, row->k);
    for (size_t j = 0; j < 8; j++) {
        printf(" %" PRId64, row->offsets[j]);
    }
    printf(" ... %" PRId64 " %" PRId64 " (--json has all)\n", row->offsets[row->k - 2], row->offsets[row->k - 1]);
}

void paper_print_row(const paper_report *report, size_t number) {
    const paper_row *row = &report->rows[number];
    const paper_range *range = &row->range;
    char time[NUMBER_SIZE], speed[NUMBER_SIZE];
    if (report->json) {
        return;
    }
    printf("Table I, row %zu: S-DP with min, %" PRIu64 " <= n <= %" PRIu64 ", %" PRIu64 " <= k <= %" PRIu64 "\n  ",
           number + 1, range->low_n, range->high_n, range->low_k, range->high_k);
    print_offsets(row);
    printf("  %-36s  |%11s %10s %5s |%11s %10s %5s |%9s %9s\n", "", "ms", "speed-up", "runs", "weights: ms", "speed-up",
           "runs", "paper: ms", "speed-up");
    for (size_t m = 0; m < PAPER_METHODS; m++) {
        const double paper = m < 3 ? range->milliseconds[m] : 0;
        print_kind(&paper_methods[m], &row->cells[PAPER_PLAIN][m]);
        print_times(&row->cells[PAPER_PLAIN][m], &row->cells[PAPER_PLAIN][0]);
        print_times(&row->cells[PAPER_WEIGHTED][m], &row->cells[PAPER_WEIGHTED][0]);
        printf(" |%9s %9s\n", show(time, paper), show(speed, paper > 0 ? range->milliseconds[0] / paper : 0));
    }
    print_reasons(report, row->cells[PAPER_PLAIN], paper_methods, PAPER_METHODS);
    print_reasons(report, row->cells[PAPER_WEIGHTED], paper_methods, PAPER_METHODS);
    printf("  verified: every cell of every method by SEQUENTIAL's table\n\n");
    fflush(stdout);
}

/* Microseconds a step. 0 without times, or for a method that has no steps. */
static double step_time(const paper_row *row, paper_kind kind, size_t m) {
    const char *algorithm = paper_methods[m].algorithm;
    const int64_t first = kind == PAPER_CONSECUTIVE ? row->consecutive[0] : row->offsets[0];
    if (!row->is_measured[kind] || !algorithm || strcmp(algorithm, "blocks") == 0) {
        return 0;
    }
    return 1e3 * mean_of(&row->cells[kind][m]) / paper_count_steps(algorithm, row->n, row->k, (uint64_t)first);
}

void paper_print_consecutive(const paper_report *report, size_t number) {
    const paper_row *row = &report->rows[number];
    const paper_cell *cells = row->cells[PAPER_CONSECUTIVE];
    char own[NUMBER_SIZE], other[NUMBER_SIZE], ratio[NUMBER_SIZE];
    if (report->json) {
        return;
    }
    printf("worst case: consecutive offsets k, k-1, ..., 1, with n = %" PRIu64 " and k = %" PRIu64 " of row %zu\n",
           row->n, row->k, number + 1);
    printf("  %-36s  |%11s %10s %5s |%11s %14s %6s\n", "", "ms", "speed-up", "runs", "us a step", "row's offsets",
           "times");
    for (size_t m = 0; m < PAPER_METHODS; m++) {
        const double now = step_time(row, PAPER_CONSECUTIVE, m), before = step_time(row, PAPER_PLAIN, m);
        if (!paper_methods[m].first_row_only) {
            print_kind(&paper_methods[m], &cells[m]);
            print_times(&cells[m], &cells[0]);
            printf(" |%11s %14s %6s\n", show(own, now), show(other, before),
                   show(ratio, before > 0 ? now / before : 0));
        }
    }
    printf("  verified: every cell of every method by SEQUENTIAL's table\n\n");
    fflush(stdout);
}

static const paper_cost *find_cost(const paper_chain *chain, const char *algorithm) {
    for (size_t s = 0; s < PAPER_SCHEDULES; s++) {
        if (strcmp(paper_schedules[s], algorithm) == 0) {
            return &chain->costs[s];
        }
    }
    return NULL;
}

/* A method's time as so much a step and so much a slot of a memory model, fitted to all sizes. */
typedef struct fit {
    double step; /* seconds */
    double slot;
    double error; /* the greatest, of the measured time; 1 is 100 % */
    bool is_known;
} fit;

/* Least squares of what is missing in (step * steps + slot * slots) / time = 1; a time below 0 is no time. */
static fit fit_times(const paper_report *report, size_t m, bool by_dmm) {
    const paper_method *method = &paper_chain_methods[m];
    double x[PAPER_CHAINS], y[PAPER_CHAINS], xx = 0, xy = 0, yy = 0, sx = 0, sy = 0;
    size_t count = 0;
    for (size_t c = 0; c < report->chain_count; c++) {
        const paper_chain *chain = &report->chains[c];
        const paper_cost *cost = find_cost(chain, method->algorithm);
        const double time = 1e-3 * mean_of(&chain->cells[m]);
        if (cost && cost->is_known && time > 0) {
            x[count] = paper_count_chain_steps(method->algorithm, chain->n) / time;
            y[count] = (by_dmm ? cost->dmm : cost->umm) / time;
            xx += x[count] * x[count];
            xy += x[count] * y[count];
            yy += y[count] * y[count];
            sx += x[count];
            sy += y[count];
            count++;
        }
    }
    const double determinant = xx * yy - xy * xy;
    fit f = {.is_known = count > 2 && determinant > 0};
    if (f.is_known) {
        f.step = (sx * yy - sy * xy) / determinant;
        f.slot = (sy * xx - sx * xy) / determinant;
        if (f.step < 0 || f.slot < 0) {
            f.slot = f.step < 0 ? sy / yy : 0;
            f.step = f.step < 0 ? 0 : sx / xx;
        }
    }
    for (size_t p = 0; p < count; p++) {
        f.error = fmax(f.error, fabs(f.step * x[p] + f.slot * y[p] - 1));
    }
    return f;
}

static void print_chain_times(const paper_report *report) {
    char time[NUMBER_SIZE], text[NUMBER_SIZE + 24];
    printf("matrix chain: ms (executions)\n  %-20s %-16s", "", "n =");
    for (size_t c = 0; c < report->chain_count; c++) {
        printf(" %15" PRIu64, report->chains[c].n);
    }
    printf("\n");
    for (size_t m = 0; m < PAPER_CHAIN_METHODS; m++) {
        print_kind(&paper_chain_methods[m], &report->chains[report->chain_count - 1].cells[m]);
        for (size_t c = 0; c < report->chain_count; c++) {
            const paper_cell *cell = &report->chains[c].cells[m];
            show(time, mean_of(cell));
            if (cell->runs > 0) {
                snprintf(text, sizeof text, "%s (%zu)", time, cell->runs);
            } else {
                snprintf(text, sizeof text, "-");
            }
            printf(" %15s", text);
        }
        printf("\n");
    }
    print_reasons(report, report->chains[report->chain_count - 1].cells, paper_chain_methods, PAPER_CHAIN_METHODS);
    printf("  verified: every cell by the reference's table; as printed, by the step-exact machine's up to n = %" PRIu64
           "%s\n\n",
           report->model, report->device ? ", and beyond\n  that resident ones by those with a launch a step" : "");
}

/* An estimate to four digits. */
static void print_slots(const paper_cost *cost, double slots) {
    char text[NUMBER_SIZE] = "-";
    if (cost->is_known && cost->is_estimate) {
        const double unit = pow(10, floor(log10(slots)) - 3);
        snprintf(text, sizeof text, "~%.0f", round(slots / unit) * unit);
    } else if (cost->is_known) {
        snprintf(text, sizeof text, "%.0f", slots);
    }
    printf(" %16s", text);
}

static void print_costs(const paper_report *report) {
    char launched[NUMBER_SIZE], resident[NUMBER_SIZE], slot[NUMBER_SIZE], step[NUMBER_SIZE];
    printf("memory models, width 32, latency 1 (~: from the smaller sizes)\n"
           "  %-17s %5s %10s %16s %16s %9s | %10s %9s %14s\n",
           "", "n", "steps", "DMM slots", "UMM slots", "UMM/term", "us a step", "resident", "ps a UMM slot");
    for (size_t s = 0; s < PAPER_SCHEDULES; s++) {
        for (size_t c = 0; c < report->chain_count; c++) {
            const paper_chain *chain = &report->chains[c];
            const paper_cost *cost = &chain->costs[s];
            const double steps = paper_count_chain_steps(paper_schedules[s], chain->n);
            double times[2] = {0};
            for (size_t m = 0; m < PAPER_CHAIN_METHODS; m++) {
                if (strcmp(paper_chain_methods[m].algorithm, paper_schedules[s]) == 0) {
                    times[paper_chain_methods[m].resident] = mean_of(&chain->cells[m]);
                }
            }
            const double terms = ((double)chain->n + 1) * (double)chain->n * ((double)chain->n - 1) / 6;
            printf("  %-17s %5" PRIu64 " %10.0f", c == 0 ? paper_schedules[s] : "", chain->n, steps);
            print_slots(cost, cost->dmm);
            print_slots(cost, cost->umm);
            printf(" %9s | %10s %9s %14s\n", show(slot, cost->umm / terms), show(launched, 1e3 * times[0] / steps),
                   show(resident, 1e3 * times[1] / steps), show(step, cost->umm > 0 ? 1e9 * times[1] / cost->umm : 0));
        }
    }
    printf("\n");
}

static void print_fits(const paper_report *report) {
    bool has_head = false;
    for (size_t m = 0; m < PAPER_CHAIN_METHODS; m++) {
        for (int by_dmm = 0; by_dmm < 2; by_dmm++) {
            const fit f = fit_times(report, m, by_dmm);
            if (f.is_known) {
                printf("%s  %-20s %10.4g us a step, %10.4g ps a slot of %s: off by %.0f %% at most\n",
                       has_head ? "" : "times of all sizes as so much a step and so much a slot (least squares)\n",
                       by_dmm ? "" : paper_chain_methods[m].name, 1e6 * f.step, 1e12 * f.slot, by_dmm ? "DMM" : "UMM",
                       100 * f.error);
                has_head = true;
            }
        }
    }
}

void paper_print_chains(const paper_report *report) {
    if (!report->json && report->chain_count > 0) {
        print_chain_times(report);
        print_costs(report);
        print_fits(report);
        fflush(stdout);
    }
}

/* ---- JSON ---- */

static void write_cell(json *writer, const paper_method *m, const paper_cell *cell, const paper_cell *first) {
    json_open_object(writer, NULL);
    json_put_string(writer, "method", m->name);
    json_put_string(writer, "algorithm", m->algorithm ? m->algorithm : "loop");
    json_put_string(writer, "where", m->on_device ? "device" : "cpu");
    json_put_boolean(writer, "resident", m->resident);
    if (cell->runs == 0) {
        json_put_string(writer, "missing", cell->why);
    } else {
        const bench_spread s = bench_find_spread(cell->seconds, cell->runs);
        json_put_string(writer, "type", cell->type);
        if (!m->on_device) {
            json_put_integer(writer, "threads", cell->threads);
        }
        json_put_unsigned(writer, "runs", cell->runs);
        json_put_double(writer, "mean_ms", mean_of(cell));
        json_put_double(writer, "median_ms", 1e3 * s.median);
        json_put_double(writer, "least_ms", 1e3 * s.least);
        json_put_double(writer, "most_ms", 1e3 * s.most);
        json_put_double(writer, "end_to_end_ms", 1e3 * mean(cell->whole, cell->runs));
        json_put_double(writer, "speed_up", mean_of(first) / mean_of(cell));
    }
    json_close_object(writer);
}

static void write_cells(json *writer, const char *key, const paper_cell *cells, const paper_method *methods,
                        size_t count) {
    json_open_array(writer, key);
    for (size_t m = 0; m < count; m++) {
        write_cell(writer, &methods[m], &cells[m], &cells[0]);
    }
    json_close_array(writer);
}

static void write_row(json *writer, const paper_report *report, size_t number) {
    static const char *const kinds[PAPER_KINDS] = {"plain", "weighted", "consecutive"};
    const paper_row *row = &report->rows[number];
    json_open_object(writer, NULL);
    json_put_unsigned(writer, "row", number + 1);
    json_put_unsigned(writer, "least_n", row->range.low_n);
    json_put_unsigned(writer, "most_n", row->range.high_n);
    json_put_unsigned(writer, "least_k", row->range.low_k);
    json_put_unsigned(writer, "most_k", row->range.high_k);
    json_put_unsigned(writer, "n", row->n);
    json_put_unsigned(writer, "k", row->k);
    json_open_object(writer, "paper_ms");
    for (size_t m = 0; m < 3 && row->range.milliseconds[m] > 0; m++) {
        json_put_double(writer, paper_methods[m].name, row->range.milliseconds[m]);
    }
    json_close_object(writer);
    for (size_t kind = 0; kind < PAPER_KINDS; kind++) {
        if (row->is_measured[kind]) {
            write_cells(writer, kinds[kind], row->cells[kind], paper_methods, PAPER_METHODS);
        }
    }
    json_open_array(writer, "offsets");
    for (size_t j = 0; j < row->k; j++) {
        json_put_integer(writer, NULL, row->offsets[j]);
    }
    json_close_array(writer);
    json_close_object(writer);
}

static void write_chain(json *writer, const paper_chain *chain) {
    json_open_object(writer, NULL);
    json_put_unsigned(writer, "n", chain->n);
    write_cells(writer, "methods", chain->cells, paper_chain_methods, PAPER_CHAIN_METHODS);
    json_open_array(writer, "costs");
    for (size_t s = 0; s < PAPER_SCHEDULES; s++) {
        const paper_cost *cost = &chain->costs[s];
        if (cost->is_known) {
            json_open_object(writer, NULL);
            json_put_string(writer, "algorithm", paper_schedules[s]);
            json_put_double(writer, "steps", paper_count_chain_steps(paper_schedules[s], chain->n));
            json_put_double(writer, "dmm", cost->dmm);
            json_put_double(writer, "umm", cost->umm);
            json_put_boolean(writer, "estimated", cost->is_estimate);
            json_close_object(writer);
        }
    }
    json_close_array(writer);
    json_close_object(writer);
}

static void write_fits(json *writer, const paper_report *report) {
    json_open_array(writer, "fits");
    for (size_t m = 0; m < PAPER_CHAIN_METHODS; m++) {
        for (int by_dmm = 0; by_dmm < 2; by_dmm++) {
            const fit f = fit_times(report, m, by_dmm);
            if (f.is_known) {
                json_open_object(writer, NULL);
                json_put_string(writer, "method", paper_chain_methods[m].name);
                json_put_string(writer, "model", by_dmm ? "dmm" : "umm");
                json_put_double(writer, "seconds_a_step", f.step);
                json_put_double(writer, "seconds_a_slot", f.slot);
                json_put_double(writer, "greatest_error", f.error);
                json_close_object(writer);
            }
        }
    }
    json_close_array(writer);
}

void paper_write_json(const paper_report *report) {
    json writer;
    json_begin(&writer, stdout);
    json_open_object(&writer, NULL);
    json_put_string(&writer, "command", "bench paper");
    json_put_string(&writer, "version", pdp_version());
    json_put_string(&writer, "cpu_level", pdp_cpu_level());
    if (report->device) {
        json_put_string(&writer, "backend", pdp_device_backend(report->device));
        json_put_string(&writer, "device", pdp_device_name(report->device));
        json_put_string(&writer, "driver", pdp_device_driver(report->device));
    } else {
        json_put_string(&writer, "no_device", report->why);
    }
    json_put_unsigned(&writer, "seed", report->seed);
    json_put_unsigned(&writer, "reps", report->runs);
    json_put_double(&writer, "seconds", report->seconds);
    json_put_boolean(&writer, "small", report->is_small);
    json_open_array(&writer, "rows");
    for (size_t r = 0; r < PAPER_ROWS && report->rows[r].n > 0; r++) {
        write_row(&writer, report, r);
    }
    json_close_array(&writer);
    json_open_array(&writer, "chains");
    for (size_t c = 0; c < report->chain_count; c++) {
        write_chain(&writer, &report->chains[c]);
    }
    json_close_array(&writer);
    write_fits(&writer, report);
    json_close_object(&writer);
    json_end(&writer);
}

/* ---- The picture ---- */

static void write_number(FILE *out, double value) {
    if (value > 0) {
        fprintf(out, " %.6g", value);
    } else {
        fputs(" -", out);
    }
}

/* Bars of the rows: a method, and then the paper's own, is a column of the data. Those without times are left out. */
static double bar(const paper_report *report, size_t row, size_t m) {
    return m < PAPER_METHODS ? mean_of(&report->rows[row].cells[PAPER_PLAIN][m])
                             : report->rows[row].range.milliseconds[m - PAPER_METHODS];
}

static void write_bars(FILE *out, const paper_report *report) {
    fputs("set title 'S-DP with min: Table I'\nset ylabel 'ms'\nset logscale y\nset grid ytics\nset key outside right\n"
          "set style data histograms\nset style histogram cluster gap 1\nset style fill solid 0.8\n"
          "set datafile missing '-'\n$bars << EOD\n",
          out);
    for (size_t r = 0; r < PAPER_ROWS; r++) {
        fprintf(out, "\"n=%" PRIu64 " k=%" PRIu64 "\"", report->rows[r].n, report->rows[r].k);
        for (size_t m = 0; m < PAPER_METHODS + 3; m++) {
            write_number(out, bar(report, r, m));
        }
        fputs("\n", out);
    }
    fputs("EOD\nplot $bars using 2:xtic(1) title 'SEQUENTIAL'", out);
    for (size_t m = 1; m < PAPER_METHODS + 3; m++) {
        const bool is_paper = m >= PAPER_METHODS;
        if (bar(report, 0, m) > 0) {
            fprintf(out, ", $bars using %zu title '%s%s'%s", m + 2, is_paper ? "the paper: " : "",
                    paper_methods[is_paper ? m - PAPER_METHODS : m].name, is_paper ? " fs pattern 2" : "");
        }
    }
    fputs("\n", out);
}

static void write_lines(FILE *out, const paper_report *report) {
    fputs("set title 'Matrix chain'\nset xlabel 'n'\nset ylabel 'ms'\nset logscale x 2\nset logscale y 10\nset grid\n"
          "set key outside right\nset datafile missing '-'\n$lines << EOD\n",
          out);
    for (size_t c = 0; c < report->chain_count; c++) {
        fprintf(out, "%" PRIu64, report->chains[c].n);
        for (size_t m = 0; m < PAPER_CHAIN_METHODS; m++) {
            write_number(out, mean_of(&report->chains[c].cells[m]));
        }
        fputs("\n", out);
    }
    fprintf(out, "EOD\nplot $lines using 1:2 with linespoints title '%s'", paper_chain_methods[0].name);
    for (size_t m = 1; m < PAPER_CHAIN_METHODS; m++) {
        if (report->chains[0].cells[m].runs > 0) {
            fprintf(out, ", $lines using 1:%zu with linespoints title '%s'", m + 2, paper_chain_methods[m].name);
        }
    }
    fputs("\n", out);
}

static void write_script(FILE *out, const void *context) {
    const paper_report *report = context;
    const bool has_bars = report->rows[0].is_measured[PAPER_PLAIN], has_lines = report->chain_count > 0;
    fprintf(out,
            "set terminal svg noenhanced size 1000,%d background rgb 'white'\n"
            "set linetype 9 lc rgb '#a0522d'\nset linetype 10 lc rgb '#7f7f7f'\nset linetype 11 lc rgb '#9acd32'\n"
            "set linetype 12 lc rgb '#e377c2'\nset linetype cycle 12\nset multiplot layout %d,1\n",
            has_bars && has_lines ? 1000 : 500, has_bars && has_lines ? 2 : 1);
    if (has_bars) {
        write_bars(out, report);
        fputs("reset\n", out);
    }
    if (has_lines) {
        write_lines(out, report);
    }
    fputs("unset multiplot\n", out);
}

int paper_plot(const paper_report *report) {
    return bench_plot_script(write_script, report, report->plot);
}
