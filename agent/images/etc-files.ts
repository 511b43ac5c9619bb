import { gateway4 } from '../network/addresses.ts'

/* Files in /etc that each sandbox has instead of those of its image, or of the machine that its builder was made on. */

const hostsOf = (hostname: string) =>
  `127.0.0.1\tlocalhost ${hostname}\n::1\tlocalhost ip6-localhost ip6-loopback\n`

const jobs = { hosts: hostsOf('job') }
/**
 * The resolver of a build without network is an unroutable address (RFC 5737): with no resolver, or one on the loopback, buildah
 * would write public resolvers into the file.
 */
const builds = { hosts: hostsOf('build'), 'resolv.conf': 'nameserver 192.0.2.1\n', hostname: 'build\n' }
const networkResolver = { 'resolv.conf': `nameserver ${gateway4}\n` }

/** Contents by name. */
export const etcOf = {
  jobs,
  builds,
  networkJobs: { ...jobs, ...networkResolver },
  networkBuilds: { ...builds, ...networkResolver },
}
