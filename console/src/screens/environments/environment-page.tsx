import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import {
  environmentOf,
  environmentVersionsOf,
  useManagesEnvironment,
} from '../../data/authoring/environments.ts'
import links from '../../parts/button.module.css'
import { Moment } from '../../parts/moment.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'

/** An environment with its versions. */
export function EnvironmentPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/environments/$id' })
  const environment = useQuery(environmentOf(id))
  const versions = useInfiniteQuery(environmentVersionsOf(id))
  const manages = useManagesEnvironment(environment.data)
  useTrail([{ text: t.environments.title, to: '/environments' }])
  if (isNotFound(environment.error)) return <NotFoundPage />
  const { name = '', description = '', state = '' } = environment.data ?? {}
  return (
    <Page
      title={name}
      detail={description !== '' && <TenantText text={description} />}
      actions={
        manages && (
          <>
            <Link to="/environments/$id/findings" params={{ id }} className={links.button}>
              {t.images.parts.findings}
            </Link>
            {state === 'active' && (
              <Link to="/environments/$id/new" params={{ id }} className={links.button}>
                {t.environments.newVersion}
              </Link>
            )}
          </>
        )
      }
    >
      <Panel query={environment}>
        {() => state !== 'active' && <StateBadge machine="environment" state={state} />}
      </Panel>
      <Panel
        query={versions}
        empty={({ pages }) => pages[0]?.items.length === 0 && t.environments.noVersions}
      >
        {({ pages }) => (
          <>
            <Versions versions={pages.flatMap(({ items }) => items)} />
            <MoreButton query={versions} />
          </>
        )}
      </Panel>
    </Page>
  )
}

function Versions({ versions }: { versions: readonly EnvironmentVersion[] }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.environments.version}</th>
          <th scope="col">{t.environments.state}</th>
          <th scope="col">{t.environments.size}</th>
          <th scope="col">{t.environments.readySince}</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.id} className={rowLink.row}>
            <td>
              <Link
                to="/environments/$id/versions/$vid"
                params={{ id: version.environment_id, vid: version.id }}
                className={rowLink.link}
              >
                {t.environments.numbered(version.version_number)}
              </Link>
            </td>
            <td>
              <StateBadge machine="environment_version" state={version.state} />
            </td>
            <td className={table.number}>
              {version.unpacked_bytes !== null && formats.bytes(version.unpacked_bytes)}
            </td>
            <td className={table.number}>{version.ready_at && <Moment at={version.ready_at} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
