# fish completion for tiermem
# SPDX-License-Identifier: GPL-2.0-only
#
# tiermem itself knows what can follow: see cmd/complete.c for what it prints.

function __tiermem_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command $words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    set -l directive (string split \t -- "$lines[1]")

    switch "$lines[1]"
        case ':file*' ':folder*'
            # The value of --root=… is a path; what stands before it is not.
            set -l path (string sub -s (math (string length -- "$directive[2]") + 1) -- "$current")
            if string match -q ':folder*' -- "$lines[1]"
                string replace -r '^' -- "$directive[2]" (__fish_complete_directories "$path")
            else
                string replace -r '^' -- "$directive[2]" (__fish_complete_path "$path")
            end
        case ':command*'
            set -l rest $words[(math $directive[2] + 2)..-1] ''
            complete -C (string join ' ' -- (string escape -- $rest[1..-2]) "$current")
        case '*'
            printf '%s\n' $lines
    end
end

complete -c tiermem -f -a '(__tiermem_complete)'
