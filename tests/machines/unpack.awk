# SPDX-License-Identifier: GPL-2.0-only
#
# Reads the manifest `start` and writes a tar archive; `top` is the folder of included files. For
# mawk and gawk. The language is described in README.md.

function fail(text)
{
	printf "unpack: %s: %s\n", where(), text > "/dev/stderr"
	printf "%s%s", nuls, nuls	# an archive of nothing, so that tar has no complaint of its own
	exit 1
}

function where()
{
	if (!depth)
		return start
	return kind[depth] == "file" ? file[depth] ":" line[depth] : "in macro " file[depth]
}

# --- input: a stack of files, macro bodies and single lines -----------------------------------

function push(what, name)
{
	if (depth >= 64)
		fail("includes, macros or loops too deep")
	depth++
	kind[depth] = what
	file[depth] = name
	line[depth] = 0
}

# Next line, into `text`; 0 when everything was read.
function next_line(    got)
{
	while (depth) {
		if (kind[depth] == "file") {
			got = (getline text < file[depth])
			if (got < 0)
				fail(file[depth] ": cannot be read")
			if (got > 0) {
				line[depth]++
				return 1
			}
			close(file[depth])
		} else if (kind[depth] == "text") {
			if (!line[depth]++) {
				text = file[depth]
				return 1
			}
		} else if (line[depth] < macro_lines[file[depth]]) {
			text = substitute(macro[file[depth], ++line[depth]])
			return 1
		}
		depth--
	}
	return 0
}

# ${name} in a line of a macro
function substitute(s,    out, name)
{
	while (match(s, /\$\{[a-z_0-9]+\}/)) {
		name = substr(s, RSTART + 2, RLENGTH - 3)
		if (!((depth, name) in arg))
			fail("no parameter " name)
		out = out substr(s, 1, RSTART - 1) arg[depth, name]
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}

# Splits `s` at blanks into words[1..], where "double quotes" keep blanks.
function split_words(s, words,    n, c, i, quoted, word, any)
{
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "\"") {
			quoted = !quoted
			any = 1
		} else if ((c == " " || c == "\t") && !quoted) {
			if (any)
				words[++n] = word
			word = ""
			any = 0
		} else {
			word = word c
			any = 1
		}
	}
	if (quoted)
		fail("quotation mark without its pair")
	if (any)
		words[++n] = word
	return n
}

function define(rest,    words, n, i, name)
{
	n = split_words(rest, words)
	name = words[1]
	if (n < 1 || name in macro_lines)
		fail("define: missing or known name")
	macro_lines[name] = 0
	macro_params[name] = n - 1
	for (i = 2; i <= n; i++)
		macro_param[name, i - 1] = words[i]
	while (next_line()) {
		if (text == "end")
			return
		macro[name, ++macro_lines[name]] = text
	}
	fail("define " name ": no end")
}

function use(rest,    words, n, i, eq, name, key, given)
{
	n = split_words(rest, words)
	name = words[1]
	if (!(name in macro_lines))
		fail("use: no macro " name)
	for (i = 2; i <= n; i++) {
		eq = index(words[i], "=")
		if (!eq)
			fail("use " name ": " words[i] ": want key=value")
		given[substr(words[i], 1, eq - 1)] = substr(words[i], eq + 1)
	}
	push("macro", name)
	for (i = 1; i <= macro_params[name]; i++) {
		key = macro_param[name, i]
		eq = index(key, "=")
		if (eq) {
			arg[depth, substr(key, 1, eq - 1)] = substr(key, eq + 1)
			key = substr(key, 1, eq - 1)
		} else if (!(key in given)) {
			fail("parameter " key " is missing")
		}
		if (key in given)
			arg[depth, key] = given[key]
		delete given[key]
	}
	for (key in given)
		fail("unknown parameter " key)
}

# --- text -------------------------------------------------------------------------------------

function hex(s,    i, n)
{
	for (i = 1; i <= length(s); i++)
		n = n * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1
	return n
}

# \xNN \n \t \\
function unescape(s,    out, c)
{
	while (match(s, /\\/)) {
		out = out substr(s, 1, RSTART - 1)
		s = substr(s, RSTART + 1)
		c = substr(s, 1, 1)
		if (c == "x" && s ~ /^x[0-9a-fA-F][0-9a-fA-F]/) {
			out = out sprintf("%c", hex(substr(s, 2, 2)))
			s = substr(s, 4)
			continue
		}
		if (c == "n")
			c = "\n"
		else if (c == "t")
			c = "\t"
		else if (c != "\\")
			fail("unknown escape \\" c)
		out = out c
		s = substr(s, 2)
	}
	return out s
}

# A list in the kernel's manner, "0-3,8" and "0-12/4", or of words, into items[1..]
function expand_list(s, items,    parts, n, i, ends, v, last, step, count)
{
	n = split(s, parts, ",")
	for (i = 1; i <= n; i++) {
		if (parts[i] !~ /^[0-9]+-[0-9]+(\/[0-9]+)?$/) {
			items[++count] = parts[i]
			continue
		}
		split(parts[i], ends, /[-\/]/)
		step = parts[i] ~ /\// ? ends[3] : 1
		last = ends[2] + 0
		if (step < 1)
			fail("step 0")
		for (v = ends[1] + 0; v <= last; v += step)
			items[++count] = v
	}
	return count
}

# The kernel's way of writing a set of CPUs as hexadecimal words of 32 bits
function mask(list, bits,    items, n, i, digit, digits, out)
{
	n = expand_list(list, items)
	for (i = 1; i <= n; i++)
		digit[int(items[i] / 4)] += 2 ^ (items[i] % 4)
	digits = int((bits + 3) / 4)
	for (i = digits - 1; i >= 0; i--) {
		out = out sprintf("%x", digit[i])
		if (i && i % 8 == 0)
			out = out ","
	}
	return out
}

# The kernel's way of writing a set: runs in one piece, so that "0-8/4" becomes "0,4,8"
function list_of(s,    items, n, i, first, out)
{
	n = expand_list(s, items)
	for (i = first = 1; i <= n; i++) {
		if (i < n && items[i + 1] == items[i] + 1)
			continue
		out = out (out == "" ? "" : ",") items[first] (i > first ? "-" items[i] : "")
		first = i + 1
	}
	return out
}

# {@}, {@2}, {@%08x}: values of the path's lists; {list LIST}, {mask LIST BITS}: a set of CPUs
function refer(s,    out, r, words)
{
	while (match(s, /\{(@[0-9]?(%[0-9]*[dxX])?|list [-0-9,\/]*|mask [-0-9,\/]* [0-9]+)\}/)) {
		r = substr(s, RSTART + 1, RLENGTH - 2)
		out = out substr(s, 1, RSTART - 1)
		s = substr(s, RSTART + RLENGTH)
		if (r ~ /^[lm]/) {
			split(r, words, / /)
			out = out (r ~ /^l/ ? list_of(words[2]) : mask(words[2], words[3]))
			continue
		}
		r = substr(r, 2)
		words[1] = r ~ /^[0-9]/ ? substr(r, 1, 1) : 1
		sub(/^[0-9]/, "", r)
		out = out (r == "" ? value[words[1]] : sprintf(r, value[words[1]]))
	}
	return out s
}

# --- entries ----------------------------------------------------------------------------------

function check_path(p,    parts, n, i)
{
	n = split(p, parts, "/")
	for (i = 1; i <= n; i++)
		if (parts[i] == "" || parts[i] == "." || parts[i] == "..")
			fail("bad path " p)
	if (!n || index(p, nul))
		fail("bad path")
}

function put(p, t, content)
{
	check_path(p)
	if (!(p in known))
		path[++paths] = p
	known[p] = 1
	type[p] = t
	data[p] = content
}

function append(p, content)
{
	put(p, "file", type[p] == "file" ? data[p] content : content)
}

function set_mode(p, m)
{
	if (type[p] == "")
		fail("mode: no entry " p)
	mode[p] = m
}

function forget(p,    i, gone)
{
	for (i = 1; i <= paths; i++)
		if (path[i] == p || index(path[i], p "/") == 1) {
			gone += type[path[i]] != ""
			type[path[i]] = ""
		}
	if (!gone)
		fail("remove: no entry " p)
}

function act(op, p, content)
{
	content = refer(content)
	p = unescape(refer(p))
	if (op == "mode")
		set_mode(p, content)
	else if (op == "remove")
		forget(p)
	else if (op == "->")
		put(p, "link", unescape(content))
	else if (op == "dir" || op == "fifo")
		put(p, op, "")
	else if (op == "=" || op == "==")
		put(p, "file", unescape(content) (op == "=" ? "\n" : ""))
	else if (op == "+=")
		append(p, unescape(content) "\n")
	else if (op == "<<")
		put(p, "file", unescape(content))
	else
		append(p, unescape(content))
}

# Each list in the path, outermost first, repeats the line; level counts the lists met so far.
function each(op, before, rest, content, level,    items, n, i, list)
{
	if (!match(rest, /\{[^@{}][^{}]*\}|\{\}/)) {
		act(op, before rest, content)
		return
	}
	list = substr(rest, RSTART + 1, RLENGTH - 2)
	before = before substr(rest, 1, RSTART - 1)
	rest = substr(rest, RSTART + RLENGTH)
	n = expand_list(list, items)
	for (i = 1; i <= n; i++) {
		value[level + 1] = items[i]
		each(op, before items[i], rest, content, level + 1)
	}
}

function repeat(s, count,    out)
{
	for (; count > 0; count = int(count / 2)) {
		if (count % 2)
			out = out s
		s = s s
	}
	return out
}

# for NAME LIST STATEMENT, where <NAME> in the statement stands for each item
function loop(rest,    name, items, n, i, s)
{
	if (rest !~ /^[a-z]+ [^ ]+ ./)
		fail("for: want NAME LIST STATEMENT")
	name = rest
	sub(/ .*/, "", name)
	sub(/^[^ ]+ /, "", rest)
	s = rest
	sub(/^[^ ]+ /, "", s)
	sub(/ .*/, "", rest)
	n = expand_list(rest, items)
	# last first: what is pushed last is read first
	for (i = n; i > 0; i--) {
		rest = s
		gsub("<" name ">", items[i], rest)
		push("text", rest)
	}
}

function here_text(word,    out)
{
	while (next_line()) {
		if (text == word)
			return out
		out = out text "\n"
	}
	fail("no line " word)
}

function statement(s,    p, op, rest, count)
{
	sub(/[ \t\r]+$/, "", s)
	if (s == "" || s ~ /^#/)
		return
	p = s
	sub(/[ \t].*/, "", p)
	rest = substr(s, length(p) + 1)
	sub(/^[ \t]+/, "", rest)
	if (p == "include") {
		push("file", top "/" rest)
	} else if (p == "define") {
		define(rest)
	} else if (p == "use") {
		use(rest)
	} else if (p == "for") {
		loop(rest)
	} else if (p == "remove") {
		each("remove", "", rest, "", 0)
	} else if (p == "mode") {
		if (rest !~ /^[0-7]+[ \t]+[^ \t]+$/)
			fail("mode: want MODE PATH")
		split(rest, word)
		each("mode", "", word[2], word[1], 0)
	} else if (p == "fill") {
		if (rest !~ /^[0-9]+ [^ ]+ = ./)
			fail("fill: want COUNT PATH = TEXT")
		split(rest, word)
		rest = unescape(substr(rest, index(rest, " = ") + 3))
		put(unescape(word[2]), "file", repeat(rest, word[1] + 0))
	} else if (p ~ /\/$/ && rest == "") {
		each("dir", "", substr(p, 1, length(p) - 1), "", 0)
	} else {
		op = rest
		sub(/[ \t].*/, "", op)
		rest = substr(rest, length(op) + 1)
		sub(/^[ \t]/, "", rest)
		if (op == "|")
			op = "fifo"
		else if (op !~ /^(=|==|\+=|->|<<|<<\+)$/)
			fail("not understood: " s)
		if (op ~ /^<</)
			rest = here_text(rest)
		each(op, "", p, rest, 0)
	}
}

# --- output -----------------------------------------------------------------------------------

function pad(s, size)
{
	return s substr(nuls, 1, size - length(s))
}

function byte_sum(s,    i, n)
{
	for (i = 1; i <= length(s); i++)
		n += ord[substr(s, i, 1)]
	return n
}

function header(name, m, size, flag, target,    fixed, sum)
{
	m = sprintf("%07o", m)
	size = sprintf("%011o", size)
	# eight blanks stand for the sum itself; uid, gid and time are zeros; "ustar" and two blanks
	sum = byte_sum(name) + byte_sum(m) + byte_sum(size) + byte_sum(flag) + byte_sum(target) + \
	      8 * 32 + 25 * 48 + byte_sum("ustar  ")
	fixed = pad(name, 100) m nul "0000000" nul "0000000" nul size nul "00000000000" nul
	printf "%s", pad(fixed sprintf("%06o", sum) nul " " flag pad(target, 100) "ustar  ", 512)
}

function body(s,    over)
{
	over = length(s) % 512
	printf "%s", s
	if (over)
		printf "%s", substr(nuls, 1, 512 - over)
}

# A name over 99 bytes goes ahead in an entry of its own, the way GNU tar does it.
function long_name(flag, s)
{
	if (length(s) < 100)
		return
	header("././@LongLink", 0, length(s) + 1, flag, "")
	body(s nul)
}

function octal(s,    i, n)
{
	for (i = 1; i <= length(s); i++)
		n = n * 8 + substr(s, i, 1)
	return n
}

function emit(p,    t, content, m)
{
	t = type[p]
	content = data[p]
	m = octal((p in mode) ? mode[p] : t == "dir" ? "755" : t == "link" ? "777" : "644")
	long_name("K", t == "link" ? content : "")
	long_name("L", p)
	if (t == "dir" || t == "fifo") {
		header(substr(p, 1, 99), m, 0, t == "dir" ? "5" : "6", "")
	} else if (t == "link") {
		header(substr(p, 1, 99), m, 0, "2", substr(content, 1, 99))
	} else {
		header(substr(p, 1, 99), m, length(content), "0", "")
		body(content)
	}
}

function check_parents(    i, p)
{
	for (i = 1; i <= paths; i++) {
		p = path[i]
		if (type[p] == "")
			continue
		while (sub(/\/[^\/]*$/, "", p) && !(p in parent))
			parent[p] = 1
	}
	for (p in parent)
		if (type[p] != "" && type[p] != "dir")
			fail(p " has something below it and is a " type[p])
}

BEGIN {
	nul = sprintf("%c", 0)
	nuls = repeat(nul, 512)
	for (i = 1; i < 256; i++)
		ord[sprintf("%c", i)] = i
	push("file", start)
	while (next_line())
		statement(text)
	check_parents()
	for (i = 1; i <= paths; i++)
		if (type[path[i]] != "")
			emit(path[i])
	printf "%s%s", nuls, nuls
}
