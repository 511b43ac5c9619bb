import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import { escapeControls } from './escape-controls.ts'
import { bytesText } from './sizes.ts'

/** Destinations that the steps of a build reached, one line for each host. */
export function networkText({ ingress_bytes, egress_bytes, reached, more, complete }: BuildNetwork): string {
  const hosts = new Set(
    reached.map(({ name, address, protocol, port }) =>
      escapeControls(`${name === '' ? address : name}, ${protocol} port ${port}`),
    ),
  )
  const lines = [
    `network  ${bytesText(ingress_bytes)} received, ${bytesText(egress_bytes)} sent`,
    ...[...hosts].map((host) => `         ${host}`),
    ...(more > 0 ? [`         and ${more} more connections`] : []),
    ...(complete ? [] : ['         perhaps more: the resolver was restarted']),
  ]
  return lines.join('\n')
}
