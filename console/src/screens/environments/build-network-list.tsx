import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'

/** The addresses that the steps of a build reached. */
export function BuildNetworkList({ network }: { network: BuildNetwork }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <details>
      <summary>{t.builds.network(network.reached.length + network.more)}</summary>
      <p>{t.builds.traffic(formats.bytes(network.ingress_bytes), formats.bytes(network.egress_bytes))}</p>
      <ul>
        {network.reached.map(({ name, address, protocol, port }) => (
          <li key={`${address} ${protocol} ${port} ${name}`}>
            <TenantText text={name === '' ? address : `${name} (${address})`} /> {`${protocol} ${port}`}
          </li>
        ))}
      </ul>
      {network.more > 0 && <p>{t.run.moreRefused(network.more)}</p>}
      {!network.complete && <p>{t.builds.incomplete}</p>}
    </details>
  )
}
