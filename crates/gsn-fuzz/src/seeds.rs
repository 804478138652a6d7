//! What the corpus is made from: a few small inputs for every target, most of them written by the program
//! itself. Inputs that once failed lie beside them under names of their own and are not touched.

use crate::TARGETS;
use crate::kept::{Kept, MODEL, state};
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use gsn_core::{CountSpec, Scope};
use gsn_io::{ConvertRequest, CountRequest, convert, count};
use gsn_lab::recipe::Recipe;
use std::fs;
use std::io::Write;
use std::path::Path;

const TEXTS: &[(&str, &str)] = &[
    ("graph6", ">>graph6<<DQc\nBw\n~?@?\nEhEG\n?\n@\n"),
    ("sparse6", ">>sparse6<<:Fa@x^\n:An\n:@^\n:?\n"),
    ("edge-list", "# g nodes 4 edges 3\n0 1\n1,2\t9\n2 3\n"),
    ("edge-list", "10 4000000000\n4000000000 3\n5000000000 10\n"),
    ("gin", "2\n2 1\n0 1 1\n0 1 0\n3 0\n1 2 1 2\n1 1 0\n2 1 0\n"),
    ("csv", "id,smiles\n1,\"CC(=O)O\"\n2,c1ccccc1\n3,[13CH3][N+](C)(C)C.[Fe+++]\n"),
    ("csv", "graph;from;to\na;1;2\na;2;\nb;\"x\";y\n"),
    ("tsv", "smiles\ty\nCC%(12)OC%12\t1.5\nF/C=C\\F\t2\n"),
    ("smi", "CCO a\nc1ccccc1 b\nCC |$;R$| c\nN[C@@H](C)C(=O)O d\nCl.[Na+]\n"),
    (
        "gml",
        "graph [ directed 1 node [ id 1 label \"a&quot;b\" ] node [ id 2 label \"c\" gfx [ x 1.5 ] ]\n\
         edge [ source 1 target 2 label 7 ] ]\n",
    ),
    (
        "matrix-market",
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n2 1 0.5\n3 1 1e3\n",
    ),
    ("matrix-market", "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n2 1\n1 2\n3 1\n"),
    (
        "node-link",
        "[{\"directed\": true, \"nodes\": [{\"id\": 1, \"label\": 2}, {\"id\": \"b\", \"label\": 3}],\n\
         \"links\": [{\"source\": 1, \"target\": \"b\"}]}]\n",
    ),
    ("dimacs", "c hello\np edge 4 3\ne 1 2\ne 2 3\nn 1 5\ne 3 4\n"),
    (
        "sdf",
        "a\n\n\n  2  1  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   1  4  0  0  0  3\n    \
         0.0000    0.0000    0.0000 O   0  5\n  1  2  1  0\nM  CHG  1   2  -1\nM  RAD  1   1   2\nM  END\n\
         > <y>\n1.5\n\n$$$$\n",
    ),
    (
        "sdf",
        "a\n\n\n  0  0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\n\
         M  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0 CHG=1\nM  V30 2 N 0 0 0 -\nM  V30 0 VAL=2\nM  V30 END ATOM\n\
         M  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n",
    ),
    (
        "graphml",
        "<?xml version=\"1.0\"?><graphml><key id=\"k\" for=\"node\" attr.name=\"label\" attr.type=\"int\">\
         <default>0</default></key><key id=\"w\" for=\"graph\" attr.name=\"y\" attr.type=\"double\"/>\
         <graph edgedefault=\"directed\"><data key=\"w\">1.5</data><node id=\"a\"><data key=\"k\">1</data></node>\
         <node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph></graphml>\n",
    ),
    (
        "tu",
        "--- X_A.txt\n1, 2\n2, 1\n3, 4\n4, 3\n--- X_graph_indicator.txt\n1\n1\n2\n2\n--- X_graph_labels.txt\n1\n-1\n\
         --- X_node_labels.txt\n0\n1\n2\n0\n--- X_edge_labels.txt\n0\n0\n1\n1\n\
         --- X_graph_attributes.txt\n0.5\n1e3\n",
    ),
    ("patterns", "cycle:3..=6,clique:4,star:3,path:2..=5"),
    ("patterns", "edges:0-1,1-2,2-0,2-3\nedges:0@1>1@2:3,1>2\ng6:DQc\nall:4\ntrees:5"),
    ("patterns", "smiles:c1ccccc1C(=O)O\nsmiles:N[*]C"),
    ("detect", "Bw\nEhEG\n"),
    ("detect", "0 1\n1 2\n"),
    ("detect", "CCO\n"),
];

/// Cases that end at the oracle soon.
const CASES: [u64; 3] = [0, 7, 123_456_789];

/// Writes the seeds below `corpus`.
///
/// # Errors
/// When something cannot be written.
pub fn write(corpus: &Path) -> Result<()> {
    for target in TARGETS {
        fs::create_dir_all(corpus.join(target.name))?;
    }
    let put = |target: &str, name: &str, bytes: &[u8]| {
        let path = corpus.join(target).join(name);
        fs::write(&path, bytes).with_context(|| path.display().to_string())
    };
    for (at, (target, text)) in TEXTS.iter().enumerate() {
        put(target, &format!("seed-{at:02}"), text.as_bytes())?;
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(b"0 1\n1 2\n")?;
    put("detect", "gzip", &packed.finish()?)?;
    for case in CASES {
        put("kernels", &format!("case-{case}"), &case.to_le_bytes())?;
        put("threads", &format!("case-{case}"), &case.to_le_bytes())?;
    }
    let recipe = Recipe::find("mutag-gsn-e")?.to_toml();
    put("recipe", "whole", recipe.as_bytes())?;
    put("recipe", "short", b"extends = \"zinc-gsn\"\nseeds = 2\n[training]\nepochs = 3\n")?;
    put("model", "format-1", MODEL)?;
    put("checkpoint", "fresh", &state().to_bytes("seed-0")?)?;
    let run = format!(
        "--- recipe.toml\n{recipe}\n--- results.json\n{{\"metric\": \"accuracy\"}}\n\
         --- own.json\n{{\"path\": \"m.csv\"}}\n--- units/seed-0/last.ckpt\nnone\n"
    );
    put("run-folder", "run", run.as_bytes())?;
    put("cache", "entry", &Kept::new().good)?;
    written(&put)
}

/// Writes the seed of a target under a name.
type Put<'a> = dyn Fn(&str, &str, &[u8]) -> Result<()> + 'a;

/// Files that the verbs write.
fn written(put: &Put<'_>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    fs::write(at("g.g6"), "DQc\nBw\nC~\n")?;
    fs::write(at("m.graphml"), TEXTS.iter().find(|text| text.0 == "graphml").map_or("", |t| t.1))?;
    for (target, name) in
        [("parquet", "g.parquet"), ("arrow", "g.arrow"), ("arrow-stream", "g.arrows")]
    {
        for (seed, from) in [("graphs", "g.g6"), ("labels", "m.graphml")] {
            let mut request = ConvertRequest::new(at(from), at(name));
            request.format = Some(target.parse()?);
            convert(&request)?;
            put(target, seed, &fs::read(at(name))?)?;
        }
    }
    for name in ["t.parquet", "t.arrow", "t.npz", "t.csv"] {
        let spec = CountSpec::new("cycle:3..=4".parse()?).with_scope(Scope::Edge);
        count(&CountRequest::new(at("g.g6"), at(name), spec))?;
        put("table", name, &fs::read(at(name))?)?;
    }
    let mut text = Vec::new();
    for name in ["t.csv", "t.csv.json", "g.g6"] {
        text.extend_from_slice(format!("--- {name}\n").as_bytes());
        text.extend(fs::read(at(name))?);
    }
    put("sidecar", "edges", &text)
}
