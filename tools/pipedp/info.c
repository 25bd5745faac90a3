#include <unistd.h>

#include "cli.h"
#include "json.h"

static const struct argp_option options[] = {
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    switch (key) {
    case 'j': *(bool *)state->input = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Version, build, processor and devices.\vExamples:\n  pipedp info\n  pipedp info --json",
};

int command_info(int argc, char **argv) {
    bool as_json = false;
    cli_parse(&argp, argc, argv, &as_json);
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t memory = pdp_memory_available();
    if (as_json) {
        json writer;
        json_begin(&writer, stdout);
        json_open_object(&writer, NULL);
        json_string(&writer, "version", pdp_version());
        json_string(&writer, "build", pdp_build_description());
        json_string(&writer, "cpu_level", pdp_cpu_level());
        json_integer(&writer, "threads", threads);
        json_unsigned(&writer, "memory_free", memory);
        json_open_array(&writer, "devices"); /* none but the CPU in this build */
        json_close_array(&writer);
        json_close_object(&writer);
        json_end(&writer);
        return EXIT_DONE;
    }
    printf("version    %s\n", pdp_version());
    printf("build      %s\n", pdp_build_description());
    printf("processor  %s, %ld threads\n", pdp_cpu_level(), threads);
    printf("memory     %.1f GiB free\n", (double)memory / (1 << 30));
    printf("devices    none: this build computes on the CPU\n");
    return EXIT_DONE;
}
