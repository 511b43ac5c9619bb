import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTrail } from '../../app/trail.ts'
import { menuOf } from '../../data/rooms/menu.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { inputOfRun } from '../../data/runs/run-input.ts'
import { initialValue } from '../../form/defaults.ts'
import { Page } from '../../parts/page.tsx'
import { Panel, Skeleton } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { parsedText } from './parsed-text.ts'
import { RunForm } from './run-form.tsx'

/** The form of a job that the room offers. */
export function RunFormPage() {
  const t = useTexts()
  const { cid, taskId } = useParams({ from: '/signed-in/chatrooms/$cid/run/$taskId' })
  const { again } = useSearch({ from: '/signed-in/chatrooms/$cid/run/$taskId' })
  const menu = useQuery(menuOf(cid))
  const room = useRoom(cid)?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: room, to: `/chatrooms/${cid}` },
  ])
  const item = useOpenedItem(
    `${cid} ${taskId}`,
    menu.data?.find(({ task_id }) => task_id === taskId),
  )
  if (isNotFound(menu.error) || (menu.data && !item)) return <NotFoundPage />
  return (
    <Page
      title={item ? t.form.title(item.task_name) : ''}
      detail={item && item.task_description !== '' && <TenantText text={item.task_description} />}
    >
      <Panel query={menu} rows={8}>
        {() =>
          item && <StartedForm key={`${item.task_version_id} ${again}`} cid={cid} item={item} again={again} />
        }
      </Panel>
    </Page>
  )
}

/** The job, also when the room no longer offers it: what a person has typed stays, and a run is refused with the reason. */
function useOpenedItem(address: string, listed: MenuItem | undefined): MenuItem | undefined {
  const [opened, setOpened] = useState<{ address: string; item: MenuItem }>()
  if (listed && opened?.item !== listed) setOpened({ address, item: listed })
  return listed ?? (opened?.address === address ? opened.item : undefined)
}

/** Starts with the input of the run that is to be repeated, if there is one and it still exists. */
function StartedForm({ cid, item, again }: { cid: string; item: MenuItem; again: string | undefined }) {
  const input = useQuery({ ...inputOfRun({ cid, rid: again ?? '' }), enabled: again !== undefined })
  if (again !== undefined && input.isPending) return <Skeleton rows={8} />
  return (
    <RunForm
      cid={cid}
      item={item}
      startsWith={parsedText(input.data) ?? initialValue(parsedText(item.input_schema))}
    />
  )
}
