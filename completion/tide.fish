# The program itself knows the words; where it knows none, file names are offered.

function __tide_words
    set -l before (commandline -opc)
    set -l now (commandline -ct)
    set -l known ($before[1] --complete $before[2..-1] "$now" 2>/dev/null)
    if set -q known[1]
        printf '%s\n' $known
    else
        __fish_complete_path "$now"
    end
end

complete -c tide -f -a '(__tide_words)'
