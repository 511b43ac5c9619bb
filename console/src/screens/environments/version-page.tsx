import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import {
  buildsOf,
  environmentOf,
  environmentVersionOf,
  useManagesEnvironment,
} from '../../data/authoring/environments.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel, Skeleton } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import table from '../../parts/table.module.css'
import { Tabs } from '../../parts/tabs.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { ImagePartContent } from '../images/image-part-content.tsx'
import { type ImagePart, imageParts, isImagePart } from '../images/parts.ts'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import styles from './environments.module.css'
import { VersionActions } from './version-actions.tsx'

/** A version of an environment: whether it can run, its builds, and the parts of its image. */
export function VersionPage() {
  const t = useTexts()
  const { id = '', vid = '', part } = useParams({ strict: false })
  const environment = useQuery(environmentOf(id))
  const version = useQuery(environmentVersionOf(id, vid))
  const manages = useManagesEnvironment(environment.data)
  const name = environment.data?.name ?? ''
  useTrail([
    { text: t.environments.title, to: '/environments' },
    { text: name, to: `/environments/${id}` },
  ])
  if (isNotFound(version.error)) return <NotFoundPage />
  const title = version.data ? t.environments.versionOf(version.data.version_number, name) : ''
  return (
    <Page
      title={title}
      detail={version.data && <StateBadge machine="environment_version" state={version.data.state} />}
      actions={version.data && manages && <VersionActions version={version.data} />}
    >
      <Panel query={version}>
        {(shown) => (
          <>
            {manages && shown.last_build_attempt_id !== '' && <VersionTabs version={shown} />}
            {isImagePart(part) ? (
              <Part part={part} version={shown} manages={manages} />
            ) : (
              <>
                <VersionFacts version={shown} />
                <Builds id={id} vid={vid} />
              </>
            )}
          </>
        )}
      </Panel>
    </Page>
  )
}

interface PartProps {
  part: ImagePart
  version: EnvironmentVersion
  manages: boolean | undefined
}

function Part({ part, version, manages }: PartProps) {
  const t = useTexts()
  if (manages === undefined) return <Skeleton rows={8} />
  return manages ? <ImagePartContent part={part} version={version} /> : <p>{t.images.forManagers}</p>
}

function VersionTabs({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const params = { id: version.environment_id, vid: version.id }
  return (
    <Tabs label={t.images.parts.label}>
      <Link
        to="/environments/$id/versions/$vid"
        params={params}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        {t.images.parts.version}
      </Link>
      {imageParts.map((each) => (
        <Link
          key={each}
          to="/environments/$id/versions/$vid/$part"
          params={{ ...params, part: each }}
          activeOptions={{ includeSearch: false }}
        >
          {t.images.parts[each]}
        </Link>
      ))}
    </Tabs>
  )
}

function VersionFacts({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <>
      {version.build_next_action !== '' && <p lang="en">{version.build_next_action}</p>}
      <Facts>
        <Fact name={t.environments.profile}>{version.resource_profile}</Fact>
        <Fact name={t.environments.readySince}>{version.ready_at && <Moment at={version.ready_at} />}</Fact>
        <Fact name={t.environments.size}>
          {version.unpacked_bytes !== null && formats.bytes(version.unpacked_bytes)}
        </Fact>
        <Fact name={t.environments.image}>
          {version.promoted_digest && <IdText id={version.promoted_digest} />}
        </Fact>
        <Fact name={t.environments.archive}>
          {version.source_ref && <TenantText text={version.source_ref} />}
        </Fact>
        <Fact name={t.environments.archiveDigest}>
          {version.source_digest && <IdText id={version.source_digest} />}
        </Fact>
        <Fact name={t.environments.id}>
          <IdText id={version.id} />
        </Fact>
      </Facts>
    </>
  )
}

function Builds({ id, vid }: { id: string; vid: string }) {
  const t = useTexts()
  const builds = useInfiniteQuery(buildsOf(id, vid))
  return (
    <section className={styles.part}>
      <h2>{t.environments.builds}</h2>
      <Panel query={builds} empty={({ pages }) => pages[0]?.items.length === 0 && t.environments.noBuilds}>
        {({ pages }) => (
          <>
            <table className={table.table}>
              <thead>
                <tr>
                  <th scope="col">{t.environments.build}</th>
                  <th scope="col">{t.environments.state}</th>
                  <th scope="col">{t.environments.queued}</th>
                  <th scope="col">{t.environments.error}</th>
                </tr>
              </thead>
              <tbody>
                {pages
                  .flatMap(({ items }) => items)
                  .map((build) => (
                    <BuildRow key={build.id} id={id} build={build} />
                  ))}
              </tbody>
            </table>
            <MoreButton query={builds} />
          </>
        )}
      </Panel>
    </section>
  )
}

function BuildRow({ id, build }: { id: string; build: BuildAttempt }) {
  const t = useTexts()
  return (
    <tr className={rowLink.row}>
      <td>
        <Link
          to="/environments/$id/versions/$vid/builds/$aid"
          params={{ id, vid: build.environment_version_id, aid: build.id }}
          className={rowLink.link}
        >
          {t.environments.buildNumbered(build.attempt_number)}
        </Link>
      </td>
      <td>
        <StateBadge machine="build_attempt" state={build.status} />
      </td>
      <td className={table.number}>{build.queued_at && <Moment at={build.queued_at} />}</td>
      <td>{build.error_code !== '' && <code>{build.error_code}</code>}</td>
    </tr>
  )
}
