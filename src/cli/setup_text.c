/* The head of a report about a simulation. */
#include "cli.h"

static void print_near_pages(const struct td_lib_summary *run, uint64_t footprint)
{
	printf("near    %s pages, %s", td_cli_grouped(run->near_pages).text,
	       td_cli_pages(run->near_pages, run->page_bytes).text);
	if (footprint)
		printf(", %s of the footprint", td_cli_share(run->near_pages, footprint).text);
	printf("; pages of %s, chunks of %s\n", td_cli_bytes(run->page_bytes).text,
	       td_cli_bytes(run->page_bytes * run->chunk_pages).text);
}

/* Objects have sizes. */
static void print_near_bytes(const struct td_lib_summary *run)
{
	printf("near    %s", td_cli_bytes(run->near_bytes).text);
	if (run->object_bytes)
		printf(", %s of all objects, %s",
		       td_cli_share(run->near_bytes, run->object_bytes).text,
		       td_cli_bytes(run->object_bytes).text);
	printf("; an object without a size is %s\n", td_cli_bytes(run->page_bytes).text);
}

const char *td_cli_requests(bool by_page)
{
	return by_page ? "a request is an access to each of its pages"
		       : "a request is one access, whatever its size";
}

void td_cli_print_setup(const struct td_lib_summary *run)
{
	uint64_t pages = run->footprint_pages == UINT64_MAX ? 0 : run->footprint_pages;

	printf("input   %s %s%s%s, %s accesses", run->is_workload ? "workload" : "trace",
	       td_cli_name(run->input).text, run->is_workload ? "" : " as ",
	       run->is_workload ? "" : run->format, td_cli_grouped(run->counts.accesses).text);
	if (pages)
		printf(" to %s pages, %s", td_cli_grouped(pages).text,
		       td_cli_pages(pages, run->page_bytes).text);
	if (run->by_page || run->sizes)
		printf("; %s", td_cli_requests(run->by_page));
	putchar('\n');
	if (run->near_bytes)
		print_near_bytes(run);
	else
		print_near_pages(run, pages);
	if (run->place)
		printf("host    %s pages, %s\n", td_cli_grouped(run->host_pages).text,
		       td_cli_pages(run->host_pages, run->page_bytes).text);
	if (run->split)
		printf("split   %s\n", run->split);
}
