import type { ShareGrant } from '@sandbox-jobs/contract/resources/tasks/share.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readTasksAgain, sharesOf } from '../../data/authoring/tasks.ts'
import { me } from '../../data/person/me.ts'
import { ownDepartments } from '../../data/person/owners.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { Button } from '../../parts/button.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ShareForm } from './share-form.tsx'
import { nameOfTarget, type ShareTarget, shareTargets, targetsLeft } from './share-targets.ts'
import styles from './tasks.module.css'

/** With whom a task is shared. */
export function Shares({ taskId }: { taskId: string }) {
  const t = useTexts()
  const shares = useQuery(sharesOf(taskId))
  const targets = useTargets()
  const [isSharing, setIsSharing] = useState(false)
  return (
    <section className={styles.part}>
      <h2>{t.tasks.shares}</h2>
      <Panel query={shares} empty={(items) => items.length === 0 && t.tasks.noShares}>
        {(items) => (
          <ul className={rows.list}>
            {items.map((share) => (
              <ShareRow key={share.id} share={share} targets={targets} />
            ))}
          </ul>
        )}
      </Panel>
      <div>
        <Button icon="share" onPress={() => setIsSharing(true)}>
          {t.tasks.share}
        </Button>
      </div>
      {isSharing && shares.data && (
        <ShareForm
          taskId={taskId}
          targets={targetsLeft(targets, shares.data)}
          onClose={() => setIsSharing(false)}
        />
      )}
    </section>
  )
}

function useTargets(): ShareTarget[] {
  const { data: account } = useQuery(me)
  const { data: departments = [] } = useQuery(ownDepartments)
  const { data: rooms = [] } = useQuery(ownRooms)
  const company = account && { id: account.company_id, name: account.company_name }
  return shareTargets({ company, departments, rooms })
}

function ShareRow({ share, targets }: { share: ShareGrant; targets: readonly ShareTarget[] }) {
  const t = useTexts()
  const queries = useQueryClient()
  const name = nameOfTarget(targets, share)
  const title = t.tasks.revokeFrom(name ?? share.target_id)
  return (
    <li>
      <span className={styles.name}>
        {t.tasks.targets[share.target_kind]}{' '}
        {name === undefined ? <IdText id={share.target_id} /> : <TenantText text={name} />}
      </span>
      <FinalAct
        icon="trash"
        label={title}
        act={t.tasks.revoke}
        title={title}
        why={t.tasks.revokeWhy}
        run={() => api.call(allRoutes.revokeShare, { params: { id: share.task_id, gid: share.id } })}
        onDone={() => readTasksAgain(queries)}
      />
    </li>
  )
}
