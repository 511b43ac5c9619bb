import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { allVersionsOf } from '../../data/images.ts'
import { Panel } from '../../parts/panel.tsx'
import { VersionSelect } from '../../parts/version-select.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ComparedImages } from './compared-images.tsx'
import styles from './images.module.css'

/** A version beside another one of the same environment that has an image. */
export default function ComparePart({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const versions = useQuery(allVersionsOf(version.environment_id))
  const { with: wanted } = useSearch({ from: '/signed-in/environments/$id/versions/$vid/$part' })
  const navigate = useNavigate()
  return (
    <section className={styles.part}>
      <h2 className="hidden">{t.images.parts.compare}</h2>
      <Panel query={versions} rows={8}>
        {(all) => (
          <VersionSelect
            versions={all.filter(({ promoted_digest }) => promoted_digest !== null)}
            shown={version}
            wanted={wanted}
            onWanted={(id) =>
              void navigate({ to: '.', search: (search) => ({ ...search, with: id }), replace: true })
            }
          >
            {(other) => <ComparedImages key={other.id} before={other} after={version} />}
          </VersionSelect>
        )}
      </Panel>
    </section>
  )
}
