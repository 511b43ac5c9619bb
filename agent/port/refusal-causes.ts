/** Every cause of a refusal. The text is stored and sent unchanged. */
const refusalCauses = [
  // About a sandbox.
  'spec_invalid',
  'mask_values',
  'mask_too_short',
  'mask_too_long',
  'mask_total',
  'no_capacity',
  'claim_expired',
  'forbidden',
  'removed',
  'running',
  'never_started',
  // About what a sandbox is made from.
  'image_missing',
  'builder_missing',
  'runtime_missing',
  'workspace_disk',
  // About an image.
  'image_invalid',
  'image_unpack',
  'image_in_use',
  'digest_mismatch',
  'disk_full',
  // About a network.
  'network_off',
  'network_link',
  'network_list',
  'network_rules',
  'network_namespace',
  'network_cleanup',
  'service_unreachable',
  'registry_missing',
  'registry_unknown',
  'mirrors_unreadable',
  'mirror_proxy',
  // About the host.
  'host',
  'host_users',
  'cgroups',
  'filter',
  'marks',
  'spawner',
  // About a request, or from an agent of another release.
  'request_invalid',
  'refused',
] as const
export type RefusalCause = (typeof refusalCauses)[number]

export const isRefusalCause = (text: string): text is RefusalCause =>
  (refusalCauses as readonly string[]).includes(text)

/** A temporary refusal: every slot for a sandbox is taken. */
export const noCapacity = 'no_capacity' satisfies RefusalCause

/** The sandbox was started, and ended before its program started. */
export const neverStarted = 'never_started' satisfies RefusalCause
