import { checkFolderName } from '../../../reader/dockerfile/check-step.ts'

/** Ends the log: what a process that a step left writes after it is not waited for. */
const lastLine = '\\004end of the log'

/**
 * Reads what the builder and the steps print, and passes it on. Left out are the platform's own steps (`copy-check.ts`, `mount-check.ts`), and from the
 * builder's errors the internal structures that it prints. An owner that the sandbox does not have is explained at the end.
 */
const program = `
  use strict;
  $| = 1;
  my ($left, $is_inside, $has_owner) = ("", 0, 0);
  my $check = qr/RUN --mount=type=bind,from=\\${checkFolderName},/;
  sub show {
    my ($line) = @_;
    $has_owner ||= $line =~ /(?:chown|ownership).*invalid argument/i;
    if (!$is_inside) {
      return if $line =~ /^(?:\\[\\d+\\/\\d+\\] )?STEP \\d+\\/\\d+: $check/ || $line =~ /^Error: building at STEP "$check/;
      $line =~ s/ error during bulk transfer for copier\\.request\\{.*\\}: (?=copier: )/ / if $line =~ /^Error: /;
    }
    print $line;
    $is_inside = $line !~ /\\n\\z/;
  }
  while (sysread STDIN, my $bytes, 65536) {
    $left .= $bytes;
    my $is_last = $left =~ s/${lastLine}\\n.*//s;
    show($1) while $left =~ s/\\A([^\\n]*\\n)//;
    # A line that is not complete is kept back only if it may be one of those above.
    if ($left ne "" && ($is_last || $is_inside || length $left > 65536 || $left !~ /\\A[SE[]/)) { show($left); $left = "" }
    last if $is_last;
  }
  print "\n" if $is_inside && $has_owner;
  print "A sandbox has the owners 0 to 65535, and a file of an archive belongs to another one. Unpack it in a RUN step with tar --no-same-owner, or pack it with tar --owner=0 --group=0.\\n" if $has_owner;
`

/** Starts it; what is written to descriptor 3 passes through it. */
export const startLog = `
mkfifo log.pipe
perl -e '${program}' <log.pipe &
log=$!
exec 3>log.pipe
`

/** Waits until everything is passed on. */
export const endLog = `
printf '${lastLine}\\n' >&3
exec 3>&-
wait $log || true
`
