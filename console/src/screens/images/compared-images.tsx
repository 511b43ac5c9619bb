import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { provenanceOf, sbomOf, scanReportOf } from '../../data/images.ts'
import type { Sbom } from '../../data/sbom.ts'
import { DifferenceTable } from '../../parts/difference-table.tsx'
import { TextGrid } from '../../parts/text-grid.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { FindingGrid } from '../environment-findings/finding-grid.tsx'
import { findingChanges, type PackageChange, packageChanges } from './image-changes.ts'
import { ImagePanel } from './image-panel.tsx'
import styles from './images.module.css'
import { lastBuildOf } from './last-build.ts'
import { PackageSearch, useSearched } from './package-search.tsx'
import { statementIn } from './statement.ts'

interface Props {
  before: EnvironmentVersion
  after: EnvironmentVersion
}

/** The differences between two images: what they were made of, packages and findings. */
export function ComparedImages({ before, after }: Props) {
  return (
    <>
      <Summary before={before} after={after} />
      <Packages before={before} after={after} />
      <Findings before={before} after={after} />
    </>
  )
}

function Summary({ before, after }: Props) {
  const t = useTexts()
  const formats = useFormats()
  const statements = useQueries({
    queries: [before, after].map(({ environment_id, id }) => provenanceOf(environment_id, id)),
    combine: (answers) => answers.map(({ data }) => data && statementIn(data)),
  })
  const basesOf = (at: number) =>
    (statements[at]?.bases ?? []).map(({ name, digest }) => `${name} ${digest.slice(0, 19)}…`).join('\n')
  const size = (bytes: number | null) => (bytes === null ? '' : formats.bytes(bytes))
  return (
    <DifferenceTable
      before={t.environments.numbered(before.version_number)}
      after={t.environments.numbered(after.version_number)}
      rows={[
        { name: t.provenance.bases, before: basesOf(0), after: basesOf(1) },
        { name: t.environments.size, before: size(before.unpacked_bytes), after: size(after.unpacked_bytes) },
        {
          name: t.compare.compressed,
          before: size(before.compressed_bytes),
          after: size(after.compressed_bytes),
        },
        { name: t.environments.profile, before: before.resource_profile, after: after.resource_profile },
        {
          name: t.provenance.runner,
          before: before.runner_release ?? '',
          after: after.runner_release ?? '',
        },
      ]}
    />
  )
}

function Packages({ before, after }: Props) {
  const t = useTexts()
  const old = useQuery(sbomOf(lastBuildOf(before)))
  const now = useQuery(sbomOf(lastBuildOf(after)))
  return (
    <section className={styles.part}>
      <h3>{t.images.parts.packages}</h3>
      <ImagePanel query={old} missing={t.images.noReport}>
        {(first) => (
          <ImagePanel query={now} missing={t.images.noReport}>
            {(second) => <PackageChanges before={first} after={second} />}
          </ImagePanel>
        )}
      </ImagePanel>
    </section>
  )
}

function PackageChanges({ before, after }: { before: Sbom; after: Sbom }) {
  const t = useTexts()
  const all = useMemo(() => packageChanges(before.packages, after.packages), [before, after])
  const shown = useSearched(all)
  const added = all.filter((change) => change.before === '').length
  const removed = all.filter((change) => change.after === '').length
  return (
    <>
      <p role="status">{t.compare.packages(added, removed, all.length - added - removed)}</p>
      {!(before.isComplete && after.isComplete) && <p>{t.images.incomplete}</p>}
      {all.length > 0 && <PackageSearch />}
      {shown.length > 0 && (
        <TextGrid
          label={t.images.parts.packages}
          rows={shown}
          columns={[
            { name: t.compare.change, text: (change) => t.compare.changes[changeOf(change)] },
            { name: t.images.package, text: ({ name }) => name },
            { name: t.compare.before, text: (change) => change.before },
            { name: t.compare.after, text: (change) => change.after },
            { name: t.images.kind, text: ({ kind }) => kind },
          ]}
        />
      )}
    </>
  )
}

const changeOf = ({ before, after }: PackageChange): 'added' | 'removed' | 'changed' =>
  before === '' ? 'added' : after === '' ? 'removed' : 'changed'

function Findings({ before, after }: Props) {
  const t = useTexts()
  const old = useQuery(scanReportOf(lastBuildOf(before)))
  const now = useQuery(scanReportOf(lastBuildOf(after)))
  return (
    <section className={styles.part}>
      <h3>{t.images.parts.findings}</h3>
      <ImagePanel query={old} missing={t.images.noReport}>
        {(first) => (
          <ImagePanel query={now} missing={t.images.noReport}>
            {(second) => <FindingChanges {...findingChanges(first.findings, second.findings)} />}
          </ImagePanel>
        )}
      </ImagePanel>
    </section>
  )
}

function FindingChanges({ added, gone }: ReturnType<typeof findingChanges>) {
  const t = useTexts()
  return (
    <>
      <p>{t.compare.newFindings(added.length)}</p>
      {added.length > 0 && <FindingGrid label={t.compare.newFindings(added.length)} findings={added} />}
      <p>{t.compare.goneFindings(gone.length)}</p>
      {gone.length > 0 && <FindingGrid label={t.compare.goneFindings(gone.length)} findings={gone} />}
    </>
  )
}
