/** Names that buildah reads as a transport if a colon follows; transports read files and not registries. */
const transports = new Set(
  'atomic containers-storage dir docker docker-archive docker-daemon docker-image git http https oci oci-archive oci-layout ostree sif ssh tarball'.split(
    ' ',
  ),
)

const MAX_REFERENCE_LENGTH = 512
const domain = '[a-zA-Z0-9][a-zA-Z0-9.-]*(?::[0-9]{1,5})?'
const segment = '[a-z0-9]+(?:(?:[.]|_{1,2}|-+)[a-z0-9]+)*'
const tag = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}'
const reference = new RegExp(
  `^(?:${domain}/)?${segment}(?:/${segment})*(?::${tag})?(?:@sha256:[0-9a-f]{64})?$`,
)

/** True for a reference that can only be an image in a registry: `[host[:port]/]name[:tag][@sha256:...]`. */
export function isRegistryReference(text: string): boolean {
  if (text.length > MAX_REFERENCE_LENGTH || !reference.test(text)) return false
  const [first = ''] = text.split(':')
  // A number would be read as a stage.
  return !transports.has(first) && !/^[0-9]+$/.test(text)
}
