/*
 * The part of the build script that writes only what an image adds to its base image, as one layer in the form that
 * `archives/images/image-layer.ts` checks.
 *
 * The layers above the base image are merged by the kernel, as an overlay without the layers of the base. Whiteouts are not
 * taken from the builder's layers: in every folder of the merged tree they are the names that the base image has and the image has
 * not. So there is one written form, without opaque folders, however the builder made its layers.
 *
 * A step that broke out of its chroot can falsify the result, as it can falsify a whole image: it affects only its own image,
 * and both are checked outside. Whenever something is unexpected here, no layer is written, and the whole tree is exported.
 */

/**
 * Arguments: the merged tree, the base's tree, the image's tree, and a folder for the whiteouts. Writes the names of entries and
 * of whiteouts, each after its folder, into two lists. The content of the kernel's folders is left out, as in a whole tree.
 */
const listLayer = `
  use strict;
  my ($merged, $base, $image, $white) = @ARGV;
  open my $names, ">", "layer.names" or die;
  open my $hidden, ">", "layer.hidden" or die;
  sub names_in { opendir my $folder, $_[0] or die; sort grep { $_ ne "." && $_ ne ".." } readdir $folder }
  sub is_folder { lstat $_[0] or return 0; -d _ }
  sub walk {
    my ($at, $in_base) = @_;
    print $names "$at\\0";
    return if $at =~ m#^\\./(?:dev|proc|sys)$#;
    my $made = 0;
    for my $name ($in_base ? names_in("$base/$at") : ()) {
      next if lstat "$image/$at/$name";
      die unless $!{ENOENT};
      $made++ or system("mkdir", "-p", "--", "$white/$at") == 0 or die;
      open my $file, ">", "$white/$at/.wh.$name" or die;
      print $hidden "$at/.wh.$name\\0";
    }
    for my $name (names_in("$merged/$at")) {
      my $path = "$at/$name";
      # In a folder that only one layer has, an overlay lists whiteouts too.
      unless (lstat "$merged/$path") { next if $!{ENOENT}; die }
      if (is_folder("$merged/$path")) { walk($path, $in_base && is_folder("$base/$path")) }
      else { print $names "$path\\0" }
    }
  }
  use Errno;
  walk(".", 1);
  close $names or die;
  close $hidden or die;
`

/**
 * Writes it to \`image.tar\`, and the file \`layered\`, if the image at \`$root\` is built on the base image \`$LAYER_BASE\`, whose layer exists. Overlays of a user
 * namespace read their attributes only with the option that the builder's own mounts have.
 */
export const exportLayer = `
lowers_of() {
  sed -n "s#^overlay $1 overlay \\(.*,\\)\\?lowerdir=\\([^, ]*\\).*#\\2#p" /proc/mounts
}
options_of() {
  ! grep -qs "^overlay $1 overlay .*userxattr" /proc/mounts || printf ,userxattr
}
write_layer() {
  below=$(buildah from --pull-never "$LAYER_BASE") && base_root=$(buildah mount "$below") || return 1
  lowers=$(lowers_of "$root") base_lowers=$(lowers_of "$base_root")
  above=\${lowers%":$base_lowers"}
  [ -n "$base_lowers" ] && [ "$above" != "$lowers" ] || return 1
  mkdir merged nothing white &&
    /.sandbox/busybox mount -t overlay -o "ro,lowerdir=$above:/workspace/nothing$(options_of "$root")" overlay merged &&
    perl -e '${listLayer}' merged "$base_root" "$root" white &&
    tar -C merged --numeric-owner --no-recursion --null --verbatim-files-from -T layer.names -cf layer.part &&
    tar -C white --numeric-owner --no-recursion --null --verbatim-files-from -T layer.hidden -rf layer.part &&
    mv layer.part image.tar && echo layer >layered
}
if [ -n "\${LAYER_BASE:-}" ]; then write_layer || rm -f layered layer.part; fi
`
