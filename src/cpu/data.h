/* A problem's data in the form that kernels read. */
#ifndef PDP_CPU_DATA_H
#define PDP_CPU_DATA_H

#include "cpu/kernel_data_abi.h"
#include "problem/problem.h"
#include "recurrence/emit.h"

typedef struct pdp_data {
    const pdp_problem *problem;
    pdp_kernel_data kernel;
    pdp_kernel_fault fault;
    void *owned[3 * PDP_MAX_INPUTS]; /* converted arrays */
} pdp_data;

/* The data points into itself and into the problem: it must not be moved, and the problem must outlive it. */
pdp_status pdp_data_create(pdp_data *data, const pdp_problem *problem, const pdp_stamp *stamp, pdp_error *error);
void pdp_data_free(pdp_data *data);

/* Bytes that pdp_data_create allocates. */
uint64_t pdp_data_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

/* The fault that a kernel met, as an error of the problem. */
pdp_status pdp_data_check(const pdp_data *data, pdp_error *error);

size_t pdp_machine_type_bytes(pdp_machine_type type);

#endif
