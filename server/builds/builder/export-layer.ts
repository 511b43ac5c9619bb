/*
 * The part of the build script that finds the layers of the built image in the builder's storage, mounts them as one tree, and
 * writes only what the image adds to its base image, as one layer in the form that `reader/images/image-layer.ts` checks.
 *
 * Each start of the builder takes longer than all mounts here, so its storage is read without it. Whenever something in it is
 * unexpected, the builder mounts the image.
 *
 * The layers above the base image are merged by the kernel, as an overlay without the layers of the base. Whiteouts are not
 * taken from the builder's layers: in every folder of the merged tree they are the names that the base image has and the image has
 * not. So there is one written form, without opaque folders, however the builder made its layers.
 *
 * A step that broke out of its chroot can falsify the result, as it can falsify a whole image: it affects only its own image,
 * and both are checked outside. Whenever something is unexpected here, no layer is written, and the whole tree is exported.
 */

/**
 * Arguments: the image's name without host and tag, and the id of the base image, which may be empty. Makes a link for each
 * layer, `layers/0` for the top one, and prints: the folder of the image's documents, the digest of its configuration, and the
 * links of all layers, of those above the base image and of the rest, as in the options of an overlay. Without a base image, or
 * if the image is not built on it, `-` for the last two.
 */
const findLayers = `
  use strict;
  my ($name, $base_id) = @ARGV;
  # The store that the builder writes, and that of the operator.
  my @stores = ("/workspace/storage", "/base-images");
  sub content { open my $file, "<", $_[0] or return ""; local $/; my $text = <$file>; $text }
  # The folder of the images, and the record of an image from its id on.
  sub image {
    my ($wanted) = @_;
    for my $store (@stores) {
      for (split /\\{"id":"/, content("$store/overlay-images/images.json")) { return "$store/overlay-images", $_ if /$wanted/ }
    }
    die;
  }
  sub found { my ($path) = @_; for (@stores) { return "$_/overlay/$path" if -d "$_/overlay/$path" } die }
  sub layers {
    my ($top) = $_[0] =~ /"layer":"([0-9a-f]{64})"/ or die;
    my $folder = found($top);
    my $link = content("$folder/link") or die;
    map { found($_) } "l/$link", split /:/, content("$folder/lower");
  }
  my ($images, $image) = image(qr/^[^\\]]*"names":\\[[^\\]]*"localhost\\/$name:latest"/);
  my ($id) = $image =~ /^([0-9a-f]{64})"/ or die;
  my ($config) = content("$images/$id/manifest") =~ /"config":\\{[^}]*"digest":"(sha256:[0-9a-f]{64})"/ or die;
  my @layers = layers($image);
  my @parts = ("-", "-");
  if ($base_id ne "") {
    my (undef, $base) = image(qr/^$base_id"/);
    my @base = layers($base);
    my $above = @layers - @base;
    @parts = (join(":", 0 .. $above - 1), join(":", $above .. $#layers))
      if $above > 0 && "@layers[$above .. $#layers]" eq "@base";
  }
  for (0 .. $#layers) { symlink $layers[$_], "layers/$_" or die }
  print join(" ", "$images/$id", $config, join(":", 0 .. $#layers), @parts), "\\n";
`

/**
 * Mounts the image `sandbox-build` at `$root`, and writes its configuration to `config.json`; the last command says whether that
 * was done. Overlays of a user namespace read their attributes only with `userxattr`, which the builder's own mounts have too. An
 * overlay without a writable layer has two layers at least.
 */
export const mountImage = `
mount_layers() {
  mkdir "$1" && (cd layers && /.sandbox/busybox mount -t overlay -o "ro,userxattr,lowerdir=$2:nothing" overlay "../$1")
}
mount_image() {
  root=tree
  mkdir layers layers/nothing && perl -e '${findLayers}' sandbox-build "$layer_base" >layers.found &&
    read -r documents config layers above below <layers.found && mount_layers tree "$layers" &&
    cp "$documents/=$(printf %s "$config" | base64 --wrap=0)" config.json
}
mount_by_builder() {
  above=-
  container=$(buildah from --pull-never sandbox-build) && root=$(buildah mount "$container") &&
    buildah inspect --type image --format '{{.Config}}' sandbox-build >config.json
}
mount_image || mount_by_builder`

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
 * Writes it to `image.tar`, and the file `layered`, if the mounted image is built on the base image with the id `$layer_base`,
 * whose layer exists.
 */
export const exportLayer = `
write_layer() {
  mount_layers merged "$above" && mount_layers base "$below" && mkdir white &&
    perl -e '${listLayer}' merged base tree white &&
    tar -C merged --numeric-owner --no-recursion --null --verbatim-files-from -T layer.names -cf layer.part &&
    tar -C white --numeric-owner --no-recursion --null --verbatim-files-from -T layer.hidden -rf layer.part &&
    mv layer.part image.tar && echo layer >layered
}
[ "$above" = - ] || write_layer || rm -f layered layer.part
`
