import { type CatalogueEntry, entry, later, reread } from './catalogue-entry.ts'

/** Environments, their uploads, versions and builds. */
export const environmentErrors = {
  owner_scope_forbidden: entry(
    403,
    'You cannot create resources for this owner.',
    'Choose a department you manage, or ask a company manager.',
  ),
  chatroom_owner_scope_removed: entry(
    403,
    'Chatrooms cannot own tasks or environments.',
    'Choose the owner scope department or company.',
  ),
  active_environment_limit: entry(
    409,
    'The company has reached its maximum number of active environments.',
    'Archive one first.',
  ),
  environment_archived: entry(409, 'The environment is archived.', 'Use an active environment.'),
  version_allocation_exhausted: entry(
    409,
    'The company cannot keep another environment version.',
    'Archive versions that are not needed.',
  ),
  isolation_unavailable: entry(
    409,
    'This deployment does not offer that isolation.',
    'Ask its operator, or choose isolation=standard.',
  ),
  source_digest_mismatch: entry(
    422,
    'The fields owned_object_id and source_digest name different archives.',
    'Send one of them, or the digest that complete returned.',
  ),
  staging_slot_exhausted: entry(
    429,
    'The company holds too many unfinished uploads, or too many declared bytes.',
    'Complete or abort an unfinished upload.',
  ),
  upload_rate_limited: entry(429, 'Too many uploads were started in a minute.', 'Wait a minute.'),
  capability_fenced: entry(
    409,
    'The upload capability does not match this session, or it has expired.',
    'Start a new upload session.',
  ),
  capability_unavailable: entry(503, 'Upload capabilities cannot be issued or checked.', later),
  context_too_large: entry(
    413,
    'More bytes were sent than were declared.',
    'Declare the size of the archive.',
  ),
  upload_incomplete: entry(
    409,
    'The archive has not been received.',
    'Send the bytes, then complete the session.',
  ),
  upload_size_mismatch: entry(
    422,
    'The size of the received archive differs from the expected size.',
    'Send the archive again, or complete with the right size.',
  ),
  upload_digest_mismatch: entry(
    422,
    'The digest of the received archive differs from the expected digest.',
    'Send the archive again, or complete with the right digest.',
  ),
  build_not_eligible: entry(409, 'A version in this state cannot be built.', reread),
  nonterminal_exists: entry(409, 'A build of this version is still under way.', 'Wait for it or cancel it.'),
  not_cancellable: entry(409, 'The build has already ended.', reread),
  retry_not_eligible: entry(409, 'It cannot be retried in its present state.', reread),
  retry_window_expired: entry(
    409,
    'The retry period of the build, seven days, is over.',
    'Create a new version.',
  ),
  provisioning_retry_not_eligible: entry(409, 'A version in this state is not being provisioned.', reread),
  image_untrusted: entry(
    409,
    'The stored image is not the one that was signed for this version.',
    'Retry provisioning; if that is blocked, build a new version.',
  ),
  build_region_unavailable: entry(
    422,
    'This deployment does not build in that region.',
    'Choose one of /public/info/sandbox/regions.',
  ),
  sandbox_queued_build_limit: entry(
    429,
    'The company has too many queued builds.',
    'Wait for some to start, or cancel one.',
  ),
  build_admission_fenced: entry(
    503,
    'Builds are paused while the platform is updated.',
    'Wait for Retry-After.',
  ),
} satisfies Record<string, CatalogueEntry>
