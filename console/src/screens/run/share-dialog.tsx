import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunLink } from '@sandbox-jobs/contract/resources/runs/signed-link.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { apiQuery } from '../../data/api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { CopyField } from '../../parts/copy-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './share-dialog.module.css'

const defaultDays = 7
const daySeconds = 86_400

/** The live links to the result of a run. A new one is a page for people and expires in seven days. */
export default function ShareDialog({ run, onClose }: { run: ExtendedRun; onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const params = { cid: run.chatroom_id, rid: run.id }
  const list = apiQuery(allRoutes.listRunLinks, { params })
  const links = useQuery(list)
  const readAgain = () => queries.invalidateQueries(list)
  const create = useMutation({
    mutationFn: () =>
      api.call(allRoutes.createSignedLink, {
        params,
        body: { purpose: 'share', expires_in_seconds: defaultDays * daySeconds },
      }),
    onSuccess: readAgain,
  })
  const revoke = useMutation({
    mutationFn: (lid: string) => api.call(allRoutes.revokeRunLink, { params: { ...params, lid } }),
    onSuccess: readAgain,
  })
  const error = create.error ?? revoke.error
  return (
    <Dialog
      title={t.share.title}
      onClose={onClose}
      foot={
        <Button kind="filled" icon="link" isBusy={create.isPending} onPress={() => create.mutate()}>
          {t.share.create}
        </Button>
      }
    >
      <p>{t.share.why}</p>
      {error && <ErrorBox error={error} />}
      <Panel query={links} rows={1} empty={({ items }) => items.length === 0 && t.share.none}>
        {({ items }) => (
          <ul className={styles.links}>
            {items.map((link) => (
              <LinkRow key={link.id} link={link} onRevoke={() => revoke.mutate(link.id)} />
            ))}
          </ul>
        )}
      </Panel>
    </Dialog>
  )
}

function LinkRow({ link, onRevoke }: { link: RunLink; onRevoke: () => void }) {
  const t = useTexts()
  const formats = useFormats()
  const until =
    link.expires_at === null ? t.share.forever : t.share.until(formats.dateTime(new Date(link.expires_at)))
  return (
    <li>
      <CopyField label={t.share.purposes[link.purpose]} value={link.url} />
      <Button icon="trash" onPress={onRevoke}>
        {t.share.revoke}
      </Button>
      <p className={styles.until}>{`${t.share.purposes[link.purpose]}, ${until}`}</p>
    </li>
  )
}
