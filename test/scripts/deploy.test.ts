import { rows, STAND_IN } from "./run.ts";

rows([
	["uses its wrangler.toml, whatever is around it",
		`echo '{ "name": "shop", "main": "src/index.ts" }' | tee ../wrangler.json > ../../wrangler.jsonc
		WRANGLER_CI_OVERRIDE_NAME=shop deploy --dry-run`, /^(?!.*shop).*env\.PLANTS.*a dry run with the tag no-git\.\n0$/s],
	["fails for a word that is not an option", "deploy --dry-run src", /Unknown argument: src.*Wrangler failed: .*\n1$/s],
	["fails for an unknown environment", "CLOUDFLARE_ENV=x deploy", /No environment found.*\n1$/s],
]);
rows([
	["names the Worker and the commit, not a tag of git",
		`commit && git -c user.name=x -c user.email=x tag -am x v1 && CLOUDFLARE_ENV=-x deploy && cat ../calls.log &&
		git rev-parse --short HEAD`,
		/Deployed the Worker plants-x with the tag (\w+)\.\ndeploy .*--tag[ =]\1\n\1\n0$/],
	["names a change that is not committed", "commit && echo >> index.ts && deploy", /the tag \w+-dirty\.\n0$/],
	["names the commit of a worktree",
		"commit && git worktree add -q ../../tree && ../../tree/scripts/deploy && git rev-parse --short HEAD", /(\w+)\.\n\1\n0$/],
	["deploys its checkout, whatever CDPATH is",
		"other && cd .. && CDPATH=$PWD/../other scripts/deploy && cat calls.log", /no-git\.\ndeploy .*\n0$/],
	["names its commit, whatever GIT_DIR and GIT_INDEX_FILE are",
		"other && commit && GIT_DIR=$PWD/../../other/.git GIT_INDEX_FILE=x deploy && git rev-parse --short HEAD", /(\w+)\.\n\1\n0$/],
	["does not take the commit of a repository above",
		"(cd .. && commit --allow-empty) && mkdir ../.git && deploy; cat ../calls.log", /Nothing is deployed\.\ncat: .*\n1$/],
	["fails when somebody declines a question", "DECLINED=1 deploy", /Nothing is deployed\.\n1$/],
	["tells how to see what runs when Wrangler fails",
		"TAKEN=1 deploy", /The domain is taken\.\n(.*\n)+.*Wrangler failed: .* no-git: see scripts\/wrangler deployments status\.\n1$/],
	["tells it when it is interrupted", "WAIT=1 deploy & wait_for [ -e ../waiting ]; kill $!; touch ../go; wait $!", /Interrupted\..* status\.\n1$/],
	["does not start without a folder for temporary files",
		"TMPDIR=/gone deploy; cat ../calls.log", /Nothing is deployed\.\ncat: .*\n1$/],
	["leaves no temporary file", "mkdir t && TMPDIR=$PWD/t deploy && ls -A t", /no-git\.\n0$/],
	["does not start with an option that Wrangler ignores",
		`for option in --version -v "" --secrets-file= --; do deploy --message x "$option" --secrets-file x; done; cat ../calls.log`,
		/^(.*Nothing is deployed\.\n){5}cat: .*\n1$/],
], STAND_IN);
