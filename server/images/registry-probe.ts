/**
 * A request for the manifest's headers before skopeo runs, in the builder's Perl over `openssl`: skopeo reports every refusal by
 * exit code 1, and waits a minute or more when a registry limits its rate. A HEAD request does not count as a pull there.
 *
 *   probe.pl HOST PATH REFERENCE     with login.json and certificates/ in the current folder
 *
 * Prints `STATUS CODE RETRY-AFTER REMAINING;w=WINDOW` of the registry's last answer, `-` for what it did not send, and
 * nothing if there was no HTTP answer (`registry-answer.ts` parses it). Ends with 3 if skopeo would fail as well.
 */
export const probeProgram = String.raw`
use strict;
use IPC::Open2;
my ($host, $path, $reference) = @ARGV;
my ($maxBytes, $seconds) = (65536, 10);

sub request {
  my ($host, $method, $target, @headers) = @_;
  my ($name, $port) = $host =~ /^([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?$/ or return;
  my @verify = $name =~ /^[0-9.]+$/ ? ('-verify_ip', $name) : ('-verify_hostname', $name, '-servername', $name);
  my @authority = -e 'certificates/authority.crt' ? ('-CAfile', 'certificates/authority.crt', '-CApath', '/etc/ssl/certs') : ();
  my $pid = open2(my $from, my $to, 'timeout', $seconds, 'openssl', 's_client', '-quiet', '-verify_quiet',
    '-verify_return_error', @verify, @authority, '-connect', $name . ':' . ($port || 443));
  local $SIG{PIPE} = 'IGNORE';
  print $to join("\r\n", "$method $target HTTP/1.1", "Host: $host", 'User-Agent: sandbox-jobs', 'Connection: close', @headers, '', '');
  $to->flush;
  my $answer = '';
  while (length $answer < $maxBytes) {
    last if !sysread($from, $answer, 4096, length $answer);
    last if $method eq 'HEAD' && $answer =~ /\r\n\r\n/;
  }
  kill 'KILL', $pid;
  close $to;
  waitpid $pid, 0;
  my ($head, $body) = split /\r\n\r\n/, $answer, 2;
  my ($status) = $head =~ m{^HTTP/1\.[01] ([0-9]{3})} or return;
  my %headers = map { /^([A-Za-z0-9-]+):\s*(.*?)\s*$/ ? (lc $1, $2) : () } split /\r\n/, $head;
  return { status => $status, headers => \%headers, body => $body // '' };
}

my ($login) = do { local (@ARGV, $/) = ('login.json'); <> } =~ /"auth":"([A-Za-z0-9+\/=]+)"/;
my @basic = defined $login ? ("Authorization: Basic $login") : ();

sub token {
  my ($challenge) = @_;
  my %part = $challenge =~ /([a-z]+)="([^"\s]*)"/g;
  my ($host, $target) = ($part{realm} // '') =~ m{^https://([^/?\#]+)(/[^\#]*)$} or return;
  my @query = ((map { defined $part{$_} ? "$_=$part{$_}" : () } 'service'), "scope=repository:$path:pull");
  my $answer = request($host, 'GET', $target . ($target =~ /\?/ ? '&' : '?') . join('&', @query), @basic) or return;
  return $answer if $answer->{status} != 200;
  my ($token) = $answer->{body} =~ /"(?:token|access_token)"\s*:\s*"([A-Za-z0-9._~+\/=-]+)"/ or return;
  return { status => 200, token => $token };
}

my @accept = map { "Accept: $_" } 'application/vnd.oci.image.index.v1+json', 'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json', 'application/vnd.docker.distribution.manifest.v2+json';
my @authorized = @accept;
my $target = "/v2/$path/manifests/$reference";
my $answer = request($host, 'HEAD', $target, @authorized) or exit 0;
my $challenge = $answer->{headers}{'www-authenticate'} // '';
if ($answer->{status} == 401 && ($challenge =~ /^Bearer /i || @basic)) {
  if ($challenge =~ /^Bearer /i) {
    my $got = token($challenge) or do { print "- - - -\n"; exit 0 };
    if ($got->{status} == 200) { push @authorized, "Authorization: Bearer $got->{token}" } else { $answer = $got }
  } else { push @authorized, @basic }
  $answer = request($host, 'HEAD', $target, @authorized) || $answer if @authorized > @accept;
}
my $code = '-';
if ($answer->{status} == 404) {
  my $body = (request($host, 'GET', $target, @authorized) || { body => '' })->{body};
  ($code) = $body =~ /"code"\s*:\s*"(NAME_UNKNOWN|MANIFEST_UNKNOWN)"/;
  my $tags = $code ? undef : request($host, 'GET', "/v2/$path/tags/list?n=1", @authorized);
  $code ||= !$tags ? '-' : $tags->{status} == 200 ? 'MANIFEST_UNKNOWN' : $tags->{status} == 404 ? 'NAME_UNKNOWN' : '-';
}
my ($retry) = ($answer->{headers}{'retry-after'} // '') =~ /^([A-Za-z0-9,: +-]{1,40})$/;
my ($remaining) = ($answer->{headers}{'ratelimit-remaining'} // '') =~ /^([0-9]{1,9}(?:;w=[0-9]{1,9})?)$/;
$_ = tr/ /_/r for grep { defined } $retry;
print join(' ', $answer->{status}, $code, map { defined $_ && $_ ne '' ? $_ : '-' } $retry, $remaining), "\n";
exit 3 if $answer->{status} =~ /^(?:401|403|404|429)$/ || ($remaining // '') =~ /^0+(?:;|$)/;
`

/** Ends the script's program without skopeo: the answer says why. */
export const refusedByRegistry = 3
