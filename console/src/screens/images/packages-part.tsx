import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { addressOf } from '../../data/api/api.ts'
import { sbomOf } from '../../data/authoring/images.ts'
import type { Sbom } from '../../data/authoring/sbom.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { TextGrid } from '../../parts/text-grid.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ImagePanel } from './image-panel.tsx'
import styles from './images.module.css'
import { lastBuildOf } from './last-build.ts'
import { PackageSearch, useSearched } from './package-search.tsx'

/** The packages in the image of a version, with a search. */
export default function PackagesPart({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const params = lastBuildOf(version)
  const sbom = useQuery(sbomOf(params))
  return (
    <section className={styles.part}>
      <h2 className="hidden">{t.images.parts.packages}</h2>
      <ImagePanel query={sbom} rows={8} missing={t.images.noReport}>
        {(found) => (
          <>
            <div className={styles.bar}>
              <PackageSearch />
              <LinkButton
                icon="download"
                href={addressOf(allRoutes.readSbom, { params: { ...params } })}
                name="sbom.cdx.json"
              >
                {t.images.downloadSbom}
              </LinkButton>
            </div>
            <Packages sbom={found} />
          </>
        )}
      </ImagePanel>
    </section>
  )
}

function Packages({ sbom }: { sbom: Sbom }) {
  const t = useTexts()
  const shown = useSearched(sbom.packages)
  return (
    <>
      <p role="status">{t.images.packageCount(shown.length, sbom.packages.length)}</p>
      {!sbom.isComplete && <p>{t.images.incomplete}</p>}
      {shown.length > 0 && (
        <TextGrid
          label={t.images.parts.packages}
          rows={shown}
          columns={[
            { name: t.images.package, text: ({ name }) => name },
            { name: t.images.version, text: ({ version }) => version },
            { name: t.images.kind, text: ({ kind }) => kind },
          ]}
        />
      )}
    </>
  )
}
