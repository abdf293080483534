import { rows } from "./run.ts";

const wrote = (count: number, tokens: string) =>
	new RegExp(`^(\\+ set .*\n)?.*: Wrote a new token and ${count} tokens in use into /\\S+\\.\n{"ACCESS_TOKEN":"[\\w.~+/-]{40,}=*${tokens}"}\n0$`);

rows([
	["writes one token for the owner alone",
		"new-token && find ../secrets.json -perm -040 -o -perm -004 && cat ../secrets.json", wrote(0, "")],
	["keeps the tokens in use",
		`printf 'one\\r\\na._~+/-b==' | env SHELLOPTS=xtrace new-token --keep && cat ../secrets.json`,
		wrote(2, " one a\\._~\\+/-b==")],
	["writes another token the next time",
		"new-token && mv ../secrets.json . && new-token && cmp secrets.json ../secrets.json", /differ: .*\n1$/],
	["replaces no file", "echo x > ../secrets.json; new-token || cat ../secrets.json", /exists\..*\nx\n0$/],
	["does not write through a link", "ln -s ../target ../secrets.json; new-token; ls ../../target", /^((?!.*Wrote).*\n)+ls: .*\n2$/],
	["writes into its checkout, whatever CDPATH is",
		"other && cd .. && CDPATH=$PWD/../other scripts/new-token && ls secrets.json", /\nsecrets\.json\n0$/],
	["refuses another option, and an input without a token",
		"new-token --kept; true | new-token --keep; ls ../secrets.json", /^(.*Nothing is written\.\n){2}ls: .*\n2$/],
	["refuses a word that is not a token",
		`for word in '{"A":"x' Bearer bEARER 's*' a=b = é; do echo one "$word" | LC_ALL=C.UTF-8 new-token --keep 2>&1 | grep Word; done
		ls ../secrets.json`, /^(.*Word 2 is not a token\. Nothing is written\.\n){7}ls: .*\n2$/],
	["does not show the paste, and ignores Ctrl-Z", "terminal; echo one | new-token --keep",
		/^Paste .*\nstty -echo\ntrap -- '' SIGTSTP\n.*Wrote .*\nstty echo\n.*\n0$/],
]);
