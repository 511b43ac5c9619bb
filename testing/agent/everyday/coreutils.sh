# Everyday commands of scripts, with output that is the same on every runtime. Stops at the first failure.
set -eu
cd /workspace
show() { printf '== %s\n' "$*"; }

show files
mkdir -p a/b/c
printf '3\n1\n2\n2\n' >a/numbers
touch -d '2020-02-03 04:05:06 UTC' a/old
stat -c '%n %F %a %h' a
stat -c '%n %s %F %a %h' a/numbers a/old
stat -L -c %Y a/old
ls -lA --time-style=+%s a | grep -v total | sed 's/  */ /g' | cut -d ' ' -f 1-4,7
ls /etc/debian_version /usr/bin/sort
cp -a a copy
diff -r a copy
ln -s numbers a/link
ln a/numbers a/hard
stat -c %h a/numbers
readlink -f a/link
mv copy moved
install -m 750 a/numbers moved/installed
chmod u+x,go-r a/old
find . -type f -newermt 2019-01-01 ! -newermt 2021-01-01 | LC_ALL=C sort
find . | LC_ALL=C sort
du -b a/numbers | cut -f 1
truncate -s 1M big && stat -c %s big
dd if=/dev/zero of=filled bs=64k count=4 status=none && wc -c filled
cmp -n 1000 filled big
rm -r moved && ! test -e moved
mktemp -d /tmp/x.XXXXXX | sed 's/[^.]*$/made/'
realpath --relative-to=/workspace/a /workspace/a/b
df --output=source,size /workspace >/dev/null && echo df

show text
sort -n a/numbers | uniq -c | sed 's/^ *//'
seq 1 10 | paste -sd+ | tr + ' '
printf 'b 2\na 1\n' | sort | join - a/none 2>/dev/null || echo none
printf 'one,two\nthree,four\n' | cut -d , -f 2 | tac | nl -ba | tr -s ' \t' ' '
seq 100 | head -n 50 | tail -n 1
seq 1000 | split -l 400 - part. && wc -l part.* | sed 's/^ *//'
printf 'hello' | base64 && printf aGVsbG8= | base64 -d && echo
sha256sum a/numbers && md5sum a/numbers
printf 'a\tb' | expand -t 4 && echo
printf 'x y z' | od -An -c
seq 3 | xargs -n 1 expr 1 +
grep -rn 2 a/numbers && sed -n '2,3p' a/numbers && awk '{ n += $1 } END { print n }' a/numbers
seq 20000 | shuf --random-source=/dev/zero | sort -n | sha256sum

show archives
tar -cf a.tar --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 a
tar -tf a.tar
gzip -9n a.tar && gzip -t a.tar.gz && mkdir out && tar -xzf a.tar.gz -C out && diff -r a out/a

show processes
id -u
env -i A=1 env
timeout 0.1 sleep 10 || echo timed $?
(exit 3) || echo $?
sleep 0.1 & wait $! && echo waited
printf 'a\nb\n' | tee t | wc -l
mkfifo pipe && (echo through >pipe &) && cat pipe
echo $(($(nice -n 5 nice) - $(nice)))
trap 'echo told' TERM && kill -TERM $$ && trap - TERM
date -u -d @86400 +%F
test -t 0 || echo 'no terminal'
flock a/numbers echo locked
