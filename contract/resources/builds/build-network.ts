import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Count, OneOf } from '../../schema.ts'

/** One address, protocol and port that the steps of a build connected to. */
export const ReachedHost = Type.Object({
  name: about(
    'Name that a step had resolved to the address; `mirror:NAME` for a package mirror of the operator; empty if none.',
    Type.String({ maxLength: 255 }),
    'packages.example.org',
  ),
  address: about('IPv4 or IPv6 address.', Type.String({ maxLength: 45 }), '8.8.8.8'),
  protocol: about('Transport protocol.', OneOf(['tcp', 'udp']), 'tcp'),
  port: about('Destination port.', Count, 443),
})

/** Destinations that the steps of a build reached. Steps that came from the cache are in the builds that ran them. */
export const BuildNetwork = Type.Object({
  ingress_bytes: about('Bytes that the steps received.', Count, 48_213),
  egress_bytes: about('Bytes that the steps sent.', Count, 2048),
  reached: about('In the order of the first connections.', Type.Array(ReachedHost, { maxItems: 200 })),
  more: about('Number of further connections that are not listed.', Count, 0),
  complete: about(
    'False if the resolver of the service was restarted meanwhile: then connections may be missing.',
    Type.Boolean(),
  ),
})
export type BuildNetwork = Static<typeof BuildNetwork>
