/* Results as plain numbers, for spreadsheets and scripts. Heads carry the units of their columns.
 */
#ifndef TD_CLI_CSV_H
#define TD_CLI_CSV_H

#include "cli.h"

/* The heads, and a row for the document of a run. */
void td_cli_csv_heads(void);
void td_cli_csv_run(const json_t *run);
int td_cli_csv_sim(struct tide_sim *sim, struct tide_error *err); /* both, of one run */

#endif
