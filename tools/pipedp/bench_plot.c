/* The picture of a benchmark, drawn by gnuplot: it reads a script from a file and writes to a file, no shell between.
 */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "cli.h"

/* Runs gnuplot on these files. 0, an error number, or -1 if it ran and failed. */
static int run_gnuplot(char *const *arguments, int script, int picture) {
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int state = -1;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) {
        return code;
    }
    code = script >= 0 ? posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO)
                       : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    if (code == 0) {
        code = picture >= 0 ? posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO)
                            : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    }
    if (code == 0) {
        code = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) {
        return code;
    }
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    return state == 0 ? 0 : -1;
}

int bench_plot_check(void) {
    char *arguments[] = {"gnuplot", "--version", NULL};
    int code = run_gnuplot(arguments, -1, -1);
    return code == 0 ? EXIT_DONE
                     : cli_fail(EXIT_FAILED, "--plot needs gnuplot, which cannot be started: %s",
                                code > 0 ? strerror(code) : "it fails");
}

/* A group of bars for each case, a bar for each entry, in order; rates on a logarithmic axis, for a textbook's loop is
 * far below. */
static void write_script(FILE *out, const void *context) {
    const bench_report *report = context;
    fputs("set terminal svg noenhanced size 1000,560 background rgb 'white'\n"
          "set title 'Inner updates a second'\n"
          "set ylabel 'G updates/s'\nset logscale y\nset grid ytics\nset key off\n"
          "set style fill solid 0.8\nset boxwidth 0.8\nset xtics rotate by -35 scale 0\nset xtics (",
          out);
    int at = 0;
    for (size_t c = 0; c < report->case_count; c++, at++) {
        const bench_case *one = &report->cases[c];
        for (size_t e = 0; e < one->entry_count; e++, at++) {
            const bench_entry *entry = &one->entries[e];
            fprintf(out, "%s\"%s %s %s", at > 0 ? ", " : "", one->name, one->type, entry->name);
            if (entry->n > 0) {
                fprintf(out, " n=%llu", (unsigned long long)entry->n);
            }
            fprintf(out, "\" %d", at);
        }
    }
    fputs(")\nplot '-' using 1:2:5 with boxes lc variable, '' using 1:2:3:4 with yerrorbars lc rgb 'black' pt 0\n",
          out);
    for (int pass = 0; pass < 2; pass++) { /* gnuplot reads the data once for each of the two */
        at = 0;
        for (size_t c = 0; c < report->case_count; c++, at++) {
            const bench_case *one = &report->cases[c];
            for (size_t e = 0; e < one->entry_count; e++, at++) {
                const bench_entry *entry = &one->entries[e];
                bench_spread s = bench_find_spread(entry->rates, report->options->rounds);
                fprintf(out, "%d %.6g %.6g %.6g %d\n", at, 1e-9 * s.median, 1e-9 * s.least, 1e-9 * s.most,
                        e == 0               ? 1
                        : entry->is_textbook ? 2
                                             : 3);
            }
        }
        fputs("e\n", out);
    }
}

int bench_plot(const bench_report *report, const char *path) {
    return bench_plot_script(write_script, report, path);
}

int bench_plot_script(bench_script_function *write, const void *context, const char *path) {
    char *arguments[] = {"gnuplot", "-", NULL};
    cli_output output = {0};
    FILE *script = tmpfile();
    int code =
        script ? cli_output_open(&output, path) : cli_fail(EXIT_FAILED, "no temporary file: %s", strerror(errno));
    if (code == EXIT_DONE) {
        write(script, context);
        rewind(script);
        if (ferror(script) || run_gnuplot(arguments, fileno(script), fileno(output.stream)) != 0) {
            code = cli_fail(EXIT_FAILED, "gnuplot failed");
        } else {
            code = cli_output_commit(&output);
        }
        cli_output_free(&output);
    }
    if (script) {
        fclose(script);
    }
    return code;
}
