# Builds a root that holds programs, a throw-away project and nothing else, then runs the driver in it. It is run by
# unshare, in user, mount, pid and network namespaces of its own, and never otherwise.
set -eu
[ "$$" = 1 ] || exit 1
driver=$1
mount --make-rprivate /
mount -t tmpfs -o size=64m,mode=755 none /srv
root=/srv/root; mkdir -p $root; mount -t tmpfs -o size=32m,mode=755 none $root
cd $root
for d in usr bin sbin lib lib32 lib64 libx32; do
  if [ -L /$d ]; then cp -a /$d $d; elif [ -d /$d ]; then mkdir $d; mount --rbind /$d $d; mount -o remount,bind,ro $d; fi
done
mkdir etc proc dev tmp run old srv home
for f in alternatives passwd group ld.so.cache perl nsswitch.conf hostname; do [ -e /etc/$f ] && cp -a /etc/$f etc/ 2>/dev/null || :; done
for d in null zero urandom; do : > dev/$d; mount --bind /dev/$d dev/$d; done
ln -s /proc/self/fd dev/fd; ln -s /proc/self/fd/0 dev/stdin; ln -s /proc/self/fd/1 dev/stdout; ln -s /proc/self/fd/2 dev/stderr
mount -t proc proc proc
for d in srv tmp run; do mount -t tmpfs -o size=16m,mode=755 none $d; done
: > driver; mount --bind "$driver" driver; mount -o remount,bind,ro driver
pivot_root . old
cd /
umount -l /old
mount -o remount,ro /
# No limit of processor time: the driver would have it, too, and a long run is more than a line.
ulimit -f 8192 -c 0 -n 256 -u 512
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all /driver --inside
