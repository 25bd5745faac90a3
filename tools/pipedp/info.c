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

/* Kinds of devices, each of which may have one. "host" is none. */
static const char *const backends[] = {"cuda", "opencl"};
enum { BACKENDS = sizeof backends / sizeof *backends };

static bool is_there(const pdp_device *device) {
    return pdp_device_name(device)[0] != '\0';
}

static void write_device(json *writer, pdp_device *device) {
    const int capability = pdp_device_capability(device);
    json_open_object(writer, NULL);
    json_put_string(writer, "backend", pdp_device_backend(device));
    json_put_string(writer, "name", pdp_device_name(device));
    json_put_string(writer, "driver", pdp_device_driver(device));
    if (capability > 0) {
        char text[16];
        snprintf(text, sizeof text, "%d.%d", capability / 10, capability % 10);
        json_put_string(writer, "compute_capability", text);
    }
    json_put_integer(writer, "multiprocessors", pdp_device_units(device));
    json_put_unsigned(writer, "memory", pdp_device_memory(device));
    json_put_unsigned(writer, "memory_free", pdp_device_memory_free(device));
    json_close_object(writer);
}

static void print_device(const char *backend, pdp_device *device) {
    const int capability = pdp_device_capability(device);
    if (!is_there(device)) {
        printf("%-10s none: %s\n", backend, pdp_device_error(device));
        return;
    }
    printf("%-10s %s, %s", backend, pdp_device_name(device), pdp_device_driver(device));
    if (capability > 0) {
        printf(", compute capability %d.%d", capability / 10, capability % 10);
    }
    printf(", %d multiprocessors, %.1f of %.1f GiB free\n", pdp_device_units(device),
           (double)pdp_device_memory_free(device) / (1 << 30), (double)pdp_device_memory(device) / (1 << 30));
}

static void write_json(long threads, uint64_t memory, pdp_device *const *devices) {
    json writer;
    json_begin(&writer, stdout);
    json_open_object(&writer, NULL);
    json_put_string(&writer, "version", pdp_version());
    json_put_string(&writer, "build", pdp_build_description());
    json_put_string(&writer, "cpu_level", pdp_cpu_level());
    json_put_integer(&writer, "threads", threads);
    json_put_unsigned(&writer, "memory_free", memory);
    json_open_array(&writer, "devices");
    for (size_t b = 0; b < BACKENDS; b++) {
        if (is_there(devices[b])) {
            write_device(&writer, devices[b]);
        }
    }
    json_close_array(&writer);
    json_open_object(&writer, "unavailable");
    for (size_t b = 0; b < BACKENDS; b++) {
        if (!is_there(devices[b])) {
            json_put_string(&writer, backends[b], pdp_device_error(devices[b]));
        }
    }
    json_close_object(&writer);
    json_close_object(&writer);
    json_end(&writer);
}

int command_info(int argc, char **argv) {
    bool as_json = false;
    cli_parse(&argp, argc, argv, &as_json);
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t memory = pdp_memory_available();
    pdp_device *devices[BACKENDS];
    for (size_t b = 0; b < BACKENDS; b++) {
        (void)pdp_device_open(&devices[b], backends[b]); /* that there is none, is an answer too */
    }
    if (as_json) {
        write_json(threads, memory, devices);
    } else {
        printf("version    %s\n", pdp_version());
        printf("build      %s\n", pdp_build_description());
        printf("processor  %s, %ld threads\n", pdp_cpu_level(), threads);
        printf("memory     %.1f GiB free\n", (double)memory / (1 << 30));
        for (size_t b = 0; b < BACKENDS; b++) {
            print_device(backends[b], devices[b]);
        }
    }
    for (size_t b = 0; b < BACKENDS; b++) {
        pdp_device_free(devices[b]);
    }
    return EXIT_DONE;
}
