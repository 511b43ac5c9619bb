import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { sbomOf, scanReportOf } from '../../data/authoring/images.ts'
import type { Sbom } from '../../data/authoring/sbom.ts'
import { TextGrid } from '../../parts/text-grid.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FindingGrid } from '../environment-findings/finding-grid.tsx'
import { ComparedFacts } from './compared-facts.tsx'
import { findingChanges, type PackageChange, packageChanges } from './image-changes.ts'
import { ImagePanel } from './image-panel.tsx'
import styles from './images.module.css'
import { lastBuildOf } from './last-build.ts'
import { PackageSearch, useSearched } from './package-search.tsx'

interface Props {
  before: EnvironmentVersion
  after: EnvironmentVersion
}

/** The differences between two images: what they were made of, packages and findings. */
export function ComparedImages({ before, after }: Props) {
  return (
    <>
      <ComparedFacts before={before} after={after} />
      <Packages before={before} after={after} />
      <Findings before={before} after={after} />
    </>
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
