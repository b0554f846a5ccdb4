/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report as one HTML file that needs no other: no scripts, nothing from elsewhere. It is
 * well-formed XML too, so that anything can read it.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/bench/report-page.h"

static const char style[] =
	":root { color-scheme: light dark; --ink: #1b1f24; --faint: #626b75; --line: #d5dae0;\n"
	"  --paper: #ffffff; --shade: #f4f6f8; --first: #2f6fb3; --second: #c2691c;\n"
	"  --warn: #a33a00; }\n"
	"@media (prefers-color-scheme: dark) { :root { --ink: #e2e6ea; --faint: #98a2ad;\n"
	"  --line: #3a424b; --paper: #14181c; --shade: #1d2329; --first: #6ea8e5;\n"
	"  --second: #e8a05a; --warn: #ff9a62; } }\n"
	"body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: var(--ink);\n"
	"  background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }\n"
	"h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }\n"
	"h2 { border-bottom: 1px solid var(--line); } h3 { font-size: 1.05rem; }\n"
	".wide { overflow-x: auto; }\n"
	"table { border-collapse: collapse; margin: 0.8rem 0; }\n"
	"th, td { padding: 0.2rem 0.8rem; text-align: left; vertical-align: top;\n"
	"  border-bottom: 1px solid var(--line); }\n"
	"th { background: var(--shade); white-space: nowrap; }\n"
	"td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }\n"
	"td.noted, .notes { color: var(--warn); }\n"
	"sup { font-size: 0.75em; }\n"
	"figure { margin: 1rem 0; } figcaption { color: var(--faint); }\n"
	"svg { max-width: 100%; height: auto; }\n"
	"svg text { fill: var(--ink); font: 12px ui-monospace, monospace; }\n"
	"svg .axis { stroke: var(--line); } svg .whisker { stroke: var(--ink); }\n"
	"svg .faint { fill: var(--faint); } svg .noted { fill: var(--warn); }\n"
	"svg .bar0 { fill: var(--first); } svg .bar1 { fill: var(--second); }\n";

void page_escape(struct tm_buf *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			tm_buf_adds(out, "&lt;");
			break;
		case '>':
			tm_buf_adds(out, "&gt;");
			break;
		case '&':
			tm_buf_adds(out, "&amp;");
			break;
		case '"':
			tm_buf_adds(out, "&quot;");
			break;
		default:
			tm_buf_addc(out, *text);
			break;
		}
	}
}

static void add_element(struct tm_buf *out, const char *open, const char *text, const char *close)
{
	tm_buf_adds(out, open);
	page_escape(out, text);
	tm_buf_adds(out, close);
}

static void add_cell(struct tm_buf *out, const struct page_cell *cell, bool right)
{
	static const char *const classes[2][2] = {
		{ "<td>", "<td class=\"noted\">" },
		{ "<td class=\"number\">", "<td class=\"number noted\">" },
	};

	add_element(out, classes[right][cell->mark != NULL], cell->text, "");
	if (cell->mark)
		add_element(out, " <sup>[", cell->mark, "]</sup>");
	tm_buf_adds(out, "</td>");
}

static void add_table(struct tm_buf *out, const struct page_table *table)
{
	size_t nr = table->nr_columns;

	tm_buf_adds(out, "<div class=\"wide\"><table>\n<thead><tr>");
	for (size_t i = 0; i < nr; i++)
		add_element(out,
			    table->columns[i].right ? "<th scope=\"col\" class=\"number\">" :
						      "<th scope=\"col\">",
			    table->columns[i].heading, "</th>");
	tm_buf_adds(out, "</tr></thead>\n<tbody>\n");
	for (size_t row = 0; row < table->nr_cells && nr; row += nr) {
		tm_buf_adds(out, "<tr>");
		for (size_t i = 0; i < nr; i++)
			add_cell(out, &table->cells[row + i], table->columns[i].right);
		tm_buf_adds(out, "</tr>\n");
	}
	tm_buf_adds(out, "</tbody>\n</table></div>\n");
}

static void add_picture(struct tm_buf *out, const struct page_block *block)
{
	add_element(out, "<figure><figcaption>", block->text, "</figcaption>\n");
	if (block->kind == PAGE_BARS)
		page_bars_svg(out, block->bars, block->text);
	else
		tm_buf_adds(out, block->svg);
	tm_buf_adds(out, "</figure>\n");
}

static void add_block(struct tm_buf *out, const struct page_block *block)
{
	char tag[32];

	switch (block->kind) {
	case PAGE_HEADING:
		tm_buf_addf(out, "<h%u>", block->level);
		snprintf(tag, sizeof(tag), "</h%u>\n", block->level);
		add_element(out, "", block->text, tag);
		break;
	case PAGE_TEXT:
		add_element(out, "<p>", block->text, "</p>\n");
		break;
	case PAGE_ITEM:
		if (block->level)
			tm_buf_addf(out, "<li class=\"notes\">[%u] ", block->level);
		add_element(out, block->level ? "" : "<li>", block->text, "</li>\n");
		break;
	case PAGE_TABLE:
		add_table(out, block->table);
		break;
	default:
		add_picture(out, block);
		break;
	}
}

static const char *find_title(const struct page *page)
{
	for (size_t i = 0; i < page->nr; i++)
		if (page->blocks[i].kind == PAGE_HEADING)
			return page->blocks[i].text;
	return "tiermem";
}

int page_html(const struct page *page, char **text, struct tm_error *err)
{
	struct tm_buf out = TM_BUF_INIT;
	bool list = false;

	if (page->failed)
		return tm_error_nomem(err);
	tm_buf_adds(&out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
	add_element(&out, "<title>", find_title(page), "</title>\n");
	tm_buf_addf(&out, "<style>\n%s</style>\n</head>\n<body>\n", style);
	for (size_t i = 0; i < page->nr; i++) {
		bool item = page->blocks[i].kind == PAGE_ITEM;

		if (item != list)
			tm_buf_adds(&out, item ? "<ul>\n" : "</ul>\n");
		list = item;
		add_block(&out, &page->blocks[i]);
	}
	tm_buf_addf(&out, "%s</body>\n</html>\n", list ? "</ul>\n" : "");
	*text = tm_buf_detach(&out);
	return *text ? 0 : tm_error_nomem(err);
}
