//! Features of molecules.

use gsn_io::Featurisation;
use gsn_lab::molecules;

#[test]
fn our_own_features_do_not_depend_on_how_a_molecule_is_written() {
    let pairs = [
        ("c1ccccc1O", "C1=CC=CC=C1O"),
        ("C[N+]([O-])=O", "CN(=O)=O"),
        ("[H]C([H])([H])N", "CN"),
        ("c1ccc2[nH]ccc2c1", "C1=CC=C2NC=CC2=C1"),
    ];
    for (one, other) in pairs {
        let read = |smiles| molecules::read(smiles, Featurisation::Default).unwrap();
        let (one, other) = (read(one), read(other));
        assert_eq!((&one.vertex, &one.arc), (&other.vertex, &other.arc));
        assert_eq!(one.graph, other.graph);
    }
}
