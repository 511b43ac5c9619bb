import type { Envelope } from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { addressOf } from '../../data/api/api.ts'
import { provenanceOf } from '../../data/authoring/images.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { TextBlock } from '../../parts/text-block.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { BuildNetworkList } from '../environments/build-network-list.tsx'
import { ImagePanel } from './image-panel.tsx'
import styles from './images.module.css'
import { SignedFacts } from './signed-facts.tsx'
import { statementIn } from './statement.ts'

/** The signed statement about the image of a version: what it proves, and how to verify it elsewhere. */
export default function ProvenancePart({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const provenance = useQuery(provenanceOf(version.environment_id, version.id))
  return (
    <section className={styles.part}>
      <h2 className="hidden">{t.images.parts.provenance}</h2>
      <ImagePanel query={provenance} rows={8} missing={t.images.notSigned}>
        {(envelope) => <Proof envelope={envelope} version={version} />}
      </ImagePanel>
    </section>
  )
}

function Proof({ envelope, version }: { envelope: Envelope; version: EnvironmentVersion }) {
  const t = useTexts()
  const { environment_id: id, id: vid, version_number: number } = version
  const statement = statementIn(envelope)
  const params = { id, vid }
  const address = (route: typeof allRoutes.readProvenance | typeof allRoutes.downloadImage) =>
    addressOf(route, { params })
  return (
    <>
      <p>{t.provenance.proves}</p>
      <SignedFacts statement={statement} signatures={envelope.signatures} version={version} />
      {statement.network && <BuildNetworkList network={statement.network} />}
      <div className={styles.bar}>
        <LinkButton icon="download" href={address(allRoutes.readProvenance)} name="provenance.dsse.json">
          {t.provenance.download}
        </LinkButton>
        <LinkButton icon="download" href={address(allRoutes.downloadImage)}>
          {t.provenance.downloadImage}
        </LinkButton>
      </div>
      <h3>{t.provenance.verify}</h3>
      <p>{t.provenance.verifyWhy}</p>
      <TextBlock
        label={t.provenance.verify}
        text={[
          'sandbox signing-keys > keys.pem',
          `sandbox env export ${id}@${number} --out image.tar`,
          'sandbox verify image.tar --key keys.pem',
        ].join('\n')}
      />
    </>
  )
}
